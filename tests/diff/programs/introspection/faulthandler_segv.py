import ctypes
import faulthandler
import re
import sys

faulthandler.enable(all_threads=False)
sys.stdout.write("")


def crash():
    ctypes.string_at(0)


crash()
