ns = {}
exec("a = 5\ndef f(): return a + 1", ns)
print(ns["f"](), eval("a * 2", ns), eval(compile("1 + 1", "<e>", "eval")), sorted(k for k in ns if k != "__builtins__"))
exec("module_level = 1")
print(module_level, eval("[x for x in range(3)]"), eval("locals() is globals()"))
code = compile("1 + 1\n2 + 2", "<single>", "exec")
exec(code)
exec(compile("40 + 2", "<single>", "single"))
eval("1 +")
