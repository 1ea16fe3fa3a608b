import sys

print("site" in sys.modules, [p for p in sys.path if "packages" in p])
import site

print(site.ENABLE_USER_SITE, hasattr(__builtins__, "copyright"))
