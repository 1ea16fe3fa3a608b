import io
import mailbox
import wave

m = mailbox.mbox("box")
m.add("From: a@b\n\nbody\n")
m.flush()
print(len(m), m[0]["From"])
b = io.BytesIO()
with wave.open(b, "wb") as w:
    w.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
    w.writeframes(b"\0\1" * 10)
b.seek(0)
print(wave.open(b).getparams())
