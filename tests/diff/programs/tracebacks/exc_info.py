import sys

print(sys.exc_info())
try:
    1 / 0
except ZeroDivisionError:
    t, v, tb = sys.exc_info()
    print(t.__name__, v, tb.tb_lineno, tb.tb_frame is sys._getframe())
print(sys.exc_info())
