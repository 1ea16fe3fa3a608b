import ast

t = ast.parse(open(__file__).read())
print([type(n).__name__ for n in t.body])
len(t.body)
