import tracemalloc
import warnings

tracemalloc.start(5)
warnings.simplefilter("always")
f = open("main.py")
f = None
