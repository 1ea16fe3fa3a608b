import ast
import inspect

code = compile("await x", "<c>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
print(bool(code.co_flags & inspect.CO_COROUTINE))
try:
    compile("await x", "<c>", "exec")
except SyntaxError as e:
    print(e.msg)
exec("await x")
