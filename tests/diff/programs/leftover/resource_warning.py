import warnings
warnings.simplefilter("always")
f = open("out.txt", "w")
