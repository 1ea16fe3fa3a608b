import sys
import warnings

warnings.showwarning = lambda m, c, f, l, *a: print("shown", m, c.__name__, f == __file__, l)
warnings.warn("x")
warnings.formatwarning = None
warnings.warn_explicit("explicit", UserWarning, "f.py", 7)
print(sorted(k for k in globals() if "warning" in k))
