import pkgutil
import sys

print([m.name for m in pkgutil.iter_modules([json.__path__[0] if False else __import__("json").__path__[0]])])
print(pkgutil.get_data("json", "__init__.py")[:3], pkgutil.resolve_name("os.path:join").__name__)
