# needs: 3.11
e = ValueError("base")
e.__notes__ = "not a list"
raise e
