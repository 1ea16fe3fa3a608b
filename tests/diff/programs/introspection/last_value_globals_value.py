x = 1
sorted(globals())
