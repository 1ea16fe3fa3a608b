import copyreg
import marshal
import pickle

print(marshal.loads(marshal.dumps([1, "a", (2.5, None), {"k": b"v"}])))
code = compile("x = 6 * 7", "<c>", "exec")
ns = {}
exec(marshal.loads(marshal.dumps(code)), ns)


class C:
    pass


copyreg.pickle(C, lambda c: (str, ("reduced",)))
print(ns["x"], pickle.loads(pickle.dumps(C())))
marshal.dumps(object())
