with open("big", "wb") as f:
    for _ in range(8):
        f.write(b"x" * (1 << 20))
import os

print(os.path.getsize("big"))
os.remove("big")
