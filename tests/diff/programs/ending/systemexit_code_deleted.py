e = SystemExit(5)
e.code = None
raise e
