import atexit
class A:
    def __del__(self):
        print("gone")
keep = []
atexit.register(lambda: keep.append(A()))
