import sys

code = sys._getframe().f_code
print(sorted({line for *_, line in code.co_lines()} if hasattr(code, "co_lines") else {4}, key=str))
print(code.co_nlocals, code.co_varnames, code.co_cellvars, code.co_kwonlyargcount, code.co_posonlyargcount)
print(len([c for c in code.co_consts if hasattr(c, "co_code")]), code.co_qualname if hasattr(code, "co_qualname") else "")
(lambda: 5)()
