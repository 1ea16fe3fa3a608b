import re

m = re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-05 rest")
print(m.groupdict(), m.span(), m)
print(re.sub(r"(\w)(\w)", r"\2\1", "abcd"), re.split(r"[,;]\s*", "a, b;c"), re.findall(r"(?i)x(\d)", "X1x2"))
print(re.compile(r"^a.*?b$", re.M | re.S).findall("a\nb\nab"), re.escape("a.b*c"), re.fullmatch("a|ab", "ab"))
print(re.compile("(a)|b", re.X), re.subn("b", lambda m: m[0].upper(), "abcb"))
re.compile("(unclosed")
