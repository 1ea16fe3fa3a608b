import os

print("out", flush=True)
os.close(2)
raise ValueError("nobody sees it")
