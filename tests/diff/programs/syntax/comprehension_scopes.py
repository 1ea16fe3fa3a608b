x = "outer"
print([x for x in range(3)], x)
print({k: v for k, v in zip("ab", range(2))}, {c for c in "a"}, list(c for c in "xy"))
print([(i, j) for i in range(3) for j in range(i) if (i + j) % 2])
