import rlcompleter
import tabnanny

open("t.py", "w").write("if 1:\n        x\n\ty\n")
tabnanny.check("t.py")
abcdefg = 1
c = rlcompleter.Completer(globals())
print(c.complete("abcd", 0), c.complete("abcd", 1))
