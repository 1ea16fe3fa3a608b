import symtable

t = symtable.symtable("def f(a):\n    global g\n    g = a\n    def h(): return a\n", "<s>", "exec")
f = t.get_children()[0]
print(f.get_name(), f.get_type() in ("function", "SymbolTableType.FUNCTION"), sorted(f.get_globals()), sorted(f.get_locals()), f.lookup("a").is_parameter())
