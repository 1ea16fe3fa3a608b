x = 1
print("never printed")
y = = 2
