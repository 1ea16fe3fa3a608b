import sys

code = sys._getframe().f_code
print(code.co_name, code.co_firstlineno, code.co_flags, code.co_argcount, code.co_names, code.co_freevars)
code.co_consts[0]
