import warnings

warnings.warn("plain")
warnings.warn("deprecated", DeprecationWarning)
warnings.warn("pending", PendingDeprecationWarning)


def f():
    warnings.warn("one level up", UserWarning, stacklevel=2)


f()
f()
for _ in range(2):
    warnings.warn("once a place")
