import builtins

real = builtins.__import__
names = []


def traced(name, *a, **k):
    names.append(name)
    return real(name, *a, **k)


builtins.__import__ = traced
import colorsys
from os import path

builtins.__import__ = real
print(names)
