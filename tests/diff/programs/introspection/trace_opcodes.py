import sys

n = 0


def tracer(frame, event, arg):
    global n
    frame.f_trace_opcodes = True
    if event == "opcode":
        n += 1
    return tracer


def f(a):
    return a + 1


sys.settrace(tracer)
f(1)
sys.settrace(None)
print(n)
