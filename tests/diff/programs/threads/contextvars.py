import contextvars
import threading

v = contextvars.ContextVar("v", default="default")
v.set("main")
out = []
t = threading.Thread(target=lambda: out.append(v.get()))
t.start()
t.join()
ctx = contextvars.copy_context()
ctx.run(v.set, "inside")
token = v.set("again")
print(out, v.get(), ctx[v])
v.reset(token)
print(v.get(), len(contextvars.copy_context()), list(contextvars.copy_context().values()))
