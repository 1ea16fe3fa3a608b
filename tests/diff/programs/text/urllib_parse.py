from urllib.parse import parse_qs, quote, unquote, urlencode, urljoin, urlparse, urlsplit

u = urlparse("http://user:pw@host:80/p;x?q=1&q=2#frag")
print(u, u.port, u.hostname, parse_qs(u.query), urljoin("http://a/b/c", "../d"))
print(quote("a b/ü"), unquote("%C3%BC"), urlencode({"a": [1, 2]}, doseq=True), urlsplit("//x/y").netloc)
urlparse("http://[bad").port
