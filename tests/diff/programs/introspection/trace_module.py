import io
import sys
import trace
from contextlib import redirect_stdout


def f():
    x = 1
    return x


t = trace.Trace(count=1, trace=0, ignoredirs=[sys.prefix])
t.runfunc(f)
print(sorted(l for (_, l), n in t.results().counts.items()))
out = io.StringIO()
with redirect_stdout(out):
    trace.Trace(count=0, trace=1).runfunc(f)
print(out.getvalue())
