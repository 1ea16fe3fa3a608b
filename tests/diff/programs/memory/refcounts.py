import sys

x = object()
print(sys.getrefcount(x), sys.getsizeof([]) > 0, sys.getsizeof(10**100) > sys.getsizeof(1))
sys.intern("abc") is sys.intern("abc")
