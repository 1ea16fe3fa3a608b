try:
    x = "a" * (2**62)
except MemoryError as e:
    print("MemoryError", e)
[0] * (2**61)
