x = bytearray(50 * 1024 * 1024)
x[-1] = 7
print(len(x), x[-1])
del x
y = [0] * 1000000
len(y)
