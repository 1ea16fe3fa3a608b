import codecs
import encodings.idna

for name in ("utf-8", "utf-16", "latin-1", "cp1252", "ascii", "utf-7", "punycode", "idna", "rot13", "hex", "base64", "shift_jis", "koi8-r", "big5"):
    try:
        print(name, codecs.encode("abc" if name in ("rot13",) else "abc" if name not in ("hex", "base64") else b"abc", name))
    except Exception as e:
        print(name, type(e).__name__, e)
print("bücher.de".encode("idna"), codecs.lookup("u8").name, "日本".encode("euc_jp"), codecs.BOM_UTF8)
print("x€".encode("ascii", "xmlcharrefreplace"), "x€".encode("ascii", "namereplace"))
codecs.register_error("mine", lambda e: ("?!", e.end))
print("x€y".encode("ascii", "mine"))
"x".encode("no-such-codec")
