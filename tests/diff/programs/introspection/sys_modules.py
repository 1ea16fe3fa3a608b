import sys

print("\n".join(sorted(sys.modules)))
