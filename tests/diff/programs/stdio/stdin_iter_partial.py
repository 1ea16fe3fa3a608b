# stdin: "a\nb\nc\n"
import sys

for line in sys.stdin:
    print(line.strip())
    break
print(next(sys.stdin), sys.stdin.read())
