x = []
for _ in range(100000):
    x = [x]
try:
    repr(x)
except RecursionError as e:
    print("RecursionError", str(e)[:32])
print("before the list goes")
