raise SyntaxError("made by hand", ("file.py", 3, 5, "some text here\n"))
