import inspect
import sys

lines, start = inspect.getsourcelines(sys._getframe())
print(start, len(lines), inspect.getframeinfo(sys._getframe()).function, inspect.getmodulename(__file__))
print(inspect.getmodule(sys._getframe()).__name__)
