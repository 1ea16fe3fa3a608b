with open("a.txt", "w") as f:
    print(f.write("line one\nline two\n"), f.tell())
with open("a.txt", "r+") as f:
    print(f.readlines())
    f.seek(5)
    f.write("ONE")
with open("a.txt", "ab") as f:
    f.write(b"\xff")
print(open("a.txt", "rb").read())
open("a.txt").read()
