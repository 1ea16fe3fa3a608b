# stdin: "0123456789abcdef\n"
import io
import sys

sys.stdin = io.StringIO("replaced\n" * 3)
print(input(), len(sys.stdin.read()))
print(sys.__stdin__.read())
