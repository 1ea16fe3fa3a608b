print("None is the value of print()")
