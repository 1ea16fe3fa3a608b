import cProfile
import profile
import re
import io
from contextlib import redirect_stdout


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


out = io.StringIO()
with redirect_stdout(out):
    cProfile.run("fib(8)", sort="ncalls")
print(re.search(r"(\d+) function calls.*", out.getvalue())[1], re.findall(r"(\S+)\s+[\d.]+.*main.py:\d+\((\w+)\)", out.getvalue()))
p = profile.Profile()
print(p.runcall(fib, 5))
