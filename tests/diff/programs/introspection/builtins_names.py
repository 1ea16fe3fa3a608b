import builtins

names = set(dir(builtins)) - {"exit", "quit"}
print(sorted(n for n in names if not n[0].isupper()))
print(sorted(n for n in names if n[0].isupper()))
print(hasattr(builtins, "_"), hasattr(builtins, "help"), hasattr(builtins, "copyright"))
