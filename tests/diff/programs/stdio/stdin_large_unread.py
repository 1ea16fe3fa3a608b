# stdin: "0123456789abcdef\n" * 60000
import sys

print(repr(sys.stdin.readline()))
