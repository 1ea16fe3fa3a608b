import sys

shown = []
sys.displayhook = lambda v: shown.append(v)
5 + 5
exec(compile("6 + 6", "<s>", "single"))
print(shown)
"the displayhook is not asked for a program's last value"
