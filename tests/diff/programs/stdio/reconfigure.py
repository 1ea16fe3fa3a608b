import sys

sys.stdout.reconfigure(encoding="ascii", errors="backslashreplace")
print("ü")
sys.stdout.reconfigure(encoding="utf-16-le", newline="\r\n")
print("a")
sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline=None)
print("back ü")
