x = "\d+"
print(x)
