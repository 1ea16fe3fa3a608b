import importlib
import sys

importlib.reload(sys.modules["__main__"])
