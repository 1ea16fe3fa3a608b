import io
import sys

sys.stdin = io.TextIOWrapper(io.BytesIO(b"ok\n\xff\xfe\n"), encoding="utf-8")
print(input())
input()
