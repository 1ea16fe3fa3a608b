import os

print("x", flush=True)
os.execv("/bin/sh", ["sh", "-c", "echo from sh; kill -9 $$"])
