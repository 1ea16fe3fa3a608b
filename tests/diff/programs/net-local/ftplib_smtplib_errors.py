import ftplib
import imaplib
import poplib
import smtplib
import socket

s = socket.socket()
s.bind(("127.0.0.1", 0))
port = s.getsockname()[1]
s.close()
for make in (lambda: smtplib.SMTP("127.0.0.1", port), lambda: poplib.POP3("127.0.0.1", port), lambda: imaplib.IMAP4("127.0.0.1", port), lambda: ftplib.FTP().connect("127.0.0.1", port)):
    try:
        make()
    except OSError as e:
        print(type(e).__name__)
print(ftplib.FTP.port, smtplib.SMTPException.__mro__[1].__name__)
