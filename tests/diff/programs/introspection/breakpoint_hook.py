# stdin: "p 1 + 1\nc\n"
import sys

sys.breakpointhook = lambda *a, **k: print("hook", a, k)
breakpoint(1, x=2)
