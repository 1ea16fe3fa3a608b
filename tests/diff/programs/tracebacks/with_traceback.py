try:
    1 / 0
except ZeroDivisionError as e:
    tb = e.__traceback__
raise ValueError("given a traceback").with_traceback(tb)
