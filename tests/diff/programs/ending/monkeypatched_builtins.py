import builtins

builtins.print = None
builtins.repr = None
builtins.str = None
[1, 2]
