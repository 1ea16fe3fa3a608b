# needs: 3.11
e = ValueError("base")
e.add_note("first note")
e.add_note("second\nnote over two lines")
raise e
