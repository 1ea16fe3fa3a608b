import os

print("first", flush=True)
os.closerange(0, 4096)
"a value"
