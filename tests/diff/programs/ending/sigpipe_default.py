import os
import signal

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
r, w = os.pipe()
os.close(r)
print("flush first", flush=True)
os.write(w, b"x")
