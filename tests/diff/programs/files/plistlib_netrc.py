import netrc
import plistlib

p = plistlib.dumps({"a": [1, 2.5, b"x", True]})
print(plistlib.loads(p), len(p))
open("rc", "w").write("machine h login l password p\n")
import os

os.chmod("rc", 0o600)
print(netrc.netrc("rc").authenticators("h"))
