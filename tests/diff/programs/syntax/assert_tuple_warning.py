assert (False, "always true")
print("on")
