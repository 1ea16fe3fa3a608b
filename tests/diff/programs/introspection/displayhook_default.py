import builtins
import sys

sys.displayhook(None)
sys.displayhook([1, "ü"])
print(builtins._)
del builtins._
42
