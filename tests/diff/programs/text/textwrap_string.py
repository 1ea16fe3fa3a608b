import string
import textwrap

t = "The quick brown fox jumped over the lazy dog, and then it slept for a while."
print(textwrap.fill(t, 30, initial_indent="* ", subsequent_indent="  "))
print(textwrap.dedent("\n    a\n      b\n"), textwrap.shorten(t, 20), textwrap.indent("a\nb", "> "))
print(string.Template("$a ${b} $$").substitute(a=1, b=2), string.capwords("a b c"), string.ascii_letters[:3])
print(string.Formatter().vformat("{0} {k}", ("x",), {"k": "y"}))
string.Template("$missing").substitute()
