import io
import sys

sys.stdout = io.StringIO()
print("hidden")
sys.__stdout__.write(repr(sys.stdout.getvalue()) + "\n")
