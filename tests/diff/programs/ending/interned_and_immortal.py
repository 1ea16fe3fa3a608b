x = "a" * 4097
y = {x: x}
y[x] is x
