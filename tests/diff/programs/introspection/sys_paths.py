import os
import sys

print(sys.path)
print(sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.platlibdir, sys._base_executable)
print(sys.path_hooks[0].__name__, [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path], len(sys.path_hooks))
print(os.path.exists(sys.executable))
