e = SystemExit(1)
e.code = None
raise e
