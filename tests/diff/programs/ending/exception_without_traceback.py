import sys

sys.excepthook(ValueError, ValueError("given by hand"), None)
e = KeyError("no traceback")
sys.excepthook(type(e), e, e.__traceback__)
