import sys

lc = sys.modules.get("linecache")
print(lc and sorted(lc.cache), "warnings" in sys.modules and sys.modules["warnings"].onceregistry, "re" in sys.modules, "threading" in sys.modules)
import _warnings

print(_warnings._onceregistry, _warnings._defaultaction, [f[2].__name__ for f in _warnings.filters])
