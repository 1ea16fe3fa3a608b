s = "The Quick brown Fox"
print(s.swapcase(), s.title(), s.center(30, "*"), s.partition(" "), s.rsplit(None, 1), s.casefold())
print("a,b,,c".split(","), " x ".strip(), "abc".translate(str.maketrans("ab", "AB", "c")), "x".zfill(5), "-5".zfill(4))
print("%s %r %05.1f %x %-5d| %%" % ("a", "b", 3.14159, 255, 7), "{0:>8}{1:,}{2!r}".format("r", 1234567, "q"))
print("prefix.x".removeprefix("prefix."), "ß".upper(), "ﬁ".casefold(), "İ".lower(), "ab" < "b", "é" == "é")
"{missing}".format(a=1)
