import os
import sys

os.makedirs("pkg/sub")
open("pkg/__init__.py", "w").write("from .a import x\n__all__ = ['x', 'a']\n")
open("pkg/a.py", "w").write("x = 'from a'\nfrom . import sub\n")
open("pkg/sub/__init__.py", "w").write("from ..a import x as y\n")
sys.path.insert(0, os.getcwd())
from pkg import *

print(x, a.__package__, a.sub.y, sys.modules["pkg.sub"].__path__ == [os.path.join(os.getcwd(), "pkg", "sub")])
import pkg.missing
