import os

print(sorted(x.split(b"=")[0] for x in open("/proc/self/environ", "rb").read().split(b"\0") if x and not x.startswith((b"HOME", b"TMPDIR", b"RUNNER"))) <= sorted(os.environb))
