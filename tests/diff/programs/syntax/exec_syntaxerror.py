exec("x = = 1")
