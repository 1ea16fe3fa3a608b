# stdin: "one\ntwo\nthrée\n"
import sys

for n, line in enumerate(sys.stdin, 1):
    print(n, repr(line))
print(repr(sys.stdin.read()))
