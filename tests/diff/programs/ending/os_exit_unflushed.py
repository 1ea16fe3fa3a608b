import os
import sys

sys.stdout.write("this stays in the buffer")
sys.stderr.write("stderr is seen")
os._exit(0)
