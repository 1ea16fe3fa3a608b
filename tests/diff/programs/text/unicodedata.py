import unicodedata

print(unicodedata.name("é"), unicodedata.category("A"), unicodedata.normalize("NFD", "é").encode(), unicodedata.numeric("½"))
print(unicodedata.lookup("SNOWMAN"), unicodedata.east_asian_width("漢"), unicodedata.bidirectional("א"), unicodedata.unidata_version)
unicodedata.name("\x00")
