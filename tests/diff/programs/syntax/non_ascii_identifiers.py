größe = 3
ﬁ = 4
名前 = "name"
print(größe, fi, 名前, sorted(k for k in globals() if not k.startswith("__")))
