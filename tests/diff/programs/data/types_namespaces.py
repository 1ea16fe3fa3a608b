import types

ns = types.SimpleNamespace(a=1, b=[2])
mp = types.MappingProxyType({"k": 1})
m = types.ModuleType("mod", "doc")
print(ns, mp, m, m.__doc__, types.new_class("C", (), {}, lambda n: n.update(x=5)).x, types.DynamicClassAttribute)
f = types.FunctionType(compile("a + 1", "<f>", "eval"), {"a": 4})
print(f(), type(ns).__name__, types.CodeType is type(f.__code__), types.MethodType(lambda s: s, 5)())
mp["k"] = 2
