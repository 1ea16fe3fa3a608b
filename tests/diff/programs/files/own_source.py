with open(__file__) as f:
    text = f.read()
print(text.count("\n"), text.splitlines()[0])
