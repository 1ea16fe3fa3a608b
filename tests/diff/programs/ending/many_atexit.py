import atexit

n = []
for i in range(5000):
    atexit.register(n.append, i)
atexit._run_exitfuncs()
print(len(n), n[0])
