class A:
    def __init__(self):
        self.value = 1

    def f(self):
        return value


A().f()
