import os
import sys

print("before abort")
sys.stdout.flush()
os.abort()
