if (n := len("abcd")) > 3:
    print(n)
print([y := 1, y + 1], y)
