x = 1
print(sorted(k for k in globals()))
