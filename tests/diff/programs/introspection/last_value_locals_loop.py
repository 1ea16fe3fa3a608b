x = 1
[k for k in list(locals()) if "result" in k] and 1 / 0
