import sys

f = sys._getframe()
print(f.f_back, f.f_code.co_name, f.f_lineno, f.f_code.co_filename == __file__, f.f_globals is globals(), f.f_locals is globals())
print(f.f_trace, f.f_code.co_firstlineno, f.f_builtins is vars(__import__("builtins")))


def depth():
    n, fr = 0, sys._getframe()
    while fr:
        n, fr = n + 1, fr.f_back
    return n


print(depth(), (lambda: depth())(), [depth() for _ in "a"][0])
try:
    sys._getframe(1)
except ValueError as e:
    print(e)
len(sys._current_frames())
