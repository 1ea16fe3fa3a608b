for f in (lambda: b"\xff\xfe".decode(), lambda: "é€".encode("ascii"), lambda: "\ud800".encode()):
    try:
        f()
    except UnicodeError as e:
        print(type(e).__name__, e)
b"\x80abc".decode("utf-8")
