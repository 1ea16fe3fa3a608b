import sys

print(repr(sys.stdin.read()), repr(sys.stdin.readline()), sys.stdin.buffer.read())
