import sys
class A:
    def __del__(self):
        print("gone")
a = A()
sys.exit(3)
