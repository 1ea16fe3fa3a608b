import os, warnings
warnings.simplefilter("always")
it = os.scandir(".")
next(it)
