import base64
import binascii
import quopri

print(base64.b64encode(b"any carnal pleas"), base64.b32encode(b"x"), base64.b85encode(b"hello"), base64.a85encode(b"hello"), base64.urlsafe_b64encode(b"\xff\xfe"))
print(binascii.hexlify(b"ab", "-"), binascii.crc32(b"x"), binascii.b2a_uu(b"uu"), quopri.encodestring("é=".encode()))
base64.b64decode("abc")
