import sys

print("a", "b", sep="-", end="!\n")
print(*range(5), sep="")
print("to stderr", file=sys.stderr, flush=True)
print(end="")
print()
print(None, True, 1.5, b"x", [1], {"a": 1})
