import ast

t = ast.parse("x = 1 + y\nprint(x)")
print(ast.dump(t))
print(ast.unparse(t), ast.literal_eval("{'a': [1, (2, None)]}"), [type(n).__name__ for n in ast.walk(t)][:5])


class R(ast.NodeTransformer):
    def visit_Constant(self, n):
        return ast.copy_location(ast.Constant(n.value * 10), n)


ns = {"y": 2}
exec(compile(ast.fix_missing_locations(R().visit(t)), "<t>", "exec"), ns)
print(ast.get_source_segment("a + b", ast.parse("a + b").body[0].value.right))
ast.literal_eval("f()")
