# needs: 3.12
x = {"a": 1}
print(f"{x["a"]} {f"{1 + 1}"} {'\n'.join(["p", "q"])}")
