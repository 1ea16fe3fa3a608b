print("hello")
print("no newline at the end", end="")
