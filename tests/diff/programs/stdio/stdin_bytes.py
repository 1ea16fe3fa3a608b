# stdin: "bytes \u00ff\n\nend without newline"
import sys

data = sys.stdin.buffer.read()
print(len(data), data)
