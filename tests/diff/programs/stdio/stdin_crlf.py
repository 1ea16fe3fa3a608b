# stdin: "a\r\nb\rc\n"
import sys

print(sys.stdin.readlines(), sys.stdin.newlines)
