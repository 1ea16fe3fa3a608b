import email
import mimetypes
from email.header import decode_header
from email.message import EmailMessage
from email.utils import formatdate, parseaddr

m = EmailMessage()
m["Subject"] = "Grüße"
m["From"] = "A <a@b.c>"
m.set_content("text")
m.add_attachment(b"\0\1", maintype="application", subtype="octet-stream", filename="x.bin")
m.set_boundary("BOUND")
print(m.as_string())
p = email.message_from_string("To: x\nSubject: =?utf-8?q?h=C3=A9?=\n\nbody")
print(decode_header(p["Subject"]), p.get_payload(), parseaddr("N <a@b>"), formatdate(0))
print(mimetypes.guess_type("a.tar.gz"), mimetypes.guess_extension("text/html"))
