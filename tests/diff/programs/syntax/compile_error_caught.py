try:
    compile("a b c", "<some file>", "exec")
except SyntaxError as e:
    print(e.msg, e.filename, e.lineno, e.offset, repr(e.text))
