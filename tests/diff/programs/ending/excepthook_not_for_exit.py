import sys

sys.excepthook = lambda *a: print("hook", a[0])
sys.exit(13)
