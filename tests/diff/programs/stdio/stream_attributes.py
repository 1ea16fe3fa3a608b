import sys

for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s.name, s.mode, s.encoding, s.errors, s.newlines, s.isatty(), s.fileno(), s.closed, s.readable(), s.writable())
print(sys.stderr.line_buffering, sys.stdout.write_through, sys.stderr.write_through)
for s in (sys.stdin, sys.stdout, sys.stderr):
    print(type(s).__name__, type(s.buffer).__name__, type(s.buffer.raw).__name__, s.buffer.mode, s.buffer.raw.mode)
print(sys.stdout.buffer.raw.closefd, sys.stdout.buffer.raw.name, sys.stdout is sys.__stdout__)
