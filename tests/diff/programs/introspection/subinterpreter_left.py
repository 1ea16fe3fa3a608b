try:
    import _interpreters as si
except ImportError:
    import _xxsubinterpreters as si

i = si.create()
print("left alive")
