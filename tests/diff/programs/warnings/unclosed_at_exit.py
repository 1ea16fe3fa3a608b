import warnings

warnings.simplefilter("always")
f = open("main.py")
print("left open at the end")
