x = 1
for name in [n for n in globals() if n not in ("__builtins__", "name")]:
    del globals()[name]
1 / 0
