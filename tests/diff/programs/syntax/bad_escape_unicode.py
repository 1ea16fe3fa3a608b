x = "\N{no such name}"
