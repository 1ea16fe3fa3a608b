e = ValueError("self")
e.__context__ = e
raise e
