import os

print(sorted(os.environ), os.environ["HOME"] == os.path.expanduser("~"), os.environb[b"PATH"].decode() == os.environ["PATH"])
os.environ["NEW"] = "ü"
print(os.getenv("NEW"), os.environb[b"NEW"], os.environ.pop("NEW"), os.path.expandvars("$NEW ${HOME}") == "$NEW " + os.environ["HOME"])
os.environ["no such variable"]
