x = [i for i in range(3)]
x.append(4)
x
