class B(BaseException):
    pass


try:
    raise B("not an Exception")
except Exception:
    print("no")
