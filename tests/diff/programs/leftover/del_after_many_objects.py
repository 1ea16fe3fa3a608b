class A:
    def __del__(self):
        print("gone")
a = A()
junk = [[i] for i in range(200000)]
