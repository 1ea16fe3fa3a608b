x = "🐍" * 3
print(x, len(x))
x + 1
