raise SyntaxError("only a text")
