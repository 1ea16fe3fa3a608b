import io
import keyword
import token
import tokenize

for t in tokenize.generate_tokens(io.StringIO("def f(x):\n    return x + 1  # c\n").readline):
    print(token.tok_name[t.type], repr(t.string), t.start)
print(keyword.iskeyword("for"), keyword.kwlist[:3], tokenize.detect_encoding(iter([b"# coding: latin-1\n"]).__next__))
