import atexit
import builtins

atexit.register(lambda: print(hasattr(builtins, "_"), "_" in globals(), sorted(k for k in globals() if not k.startswith("__"))))
6 * 7
