for args in ((2, "msg"), (2, "msg", "file"), (2, "msg", "f1", None, "f2"), ("text",), ()):
    e = OSError(*args)
    print(type(e).__name__, e, e.args, e.errno, e.filename, e.filename2)
open("/no/such/file")
