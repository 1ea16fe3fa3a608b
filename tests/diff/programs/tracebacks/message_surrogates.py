raise ValueError("bad \ud800 and ü and \x00 nul and \x1b[31m")
