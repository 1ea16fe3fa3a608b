import warnings

warnings.simplefilter("always")
b"a" == "a"
print(str(b"x"))
warnings.warn_explicit(DeprecationWarning("given as an instance"), None, "file", 1, "mod", {})
