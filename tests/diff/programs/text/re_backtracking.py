import re

print(re.match(r"(a+)+$", "a" * 18 + "b"))
print(re.search(r"(x+x+)+y", "x" * 18))
