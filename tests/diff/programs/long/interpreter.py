"""A small expression language: tokens, a parser, an evaluator."""
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text pos")
SPEC = [("num", r"\d+(\.\d+)?"), ("name", r"[a-z]+"), ("op", r"[-+*/()=^]"), ("ws", r"\s+"), ("bad", r".")]
RX = re.compile("|".join(f"(?P<{k}>{p})" for k, p in SPEC))


def tokens(text):
    for m in RX.finditer(text):
        if m.lastgroup == "bad":
            raise SyntaxError(f"bad character {m[0]!r} at {m.start()}")
        if m.lastgroup != "ws":
            yield Token(m.lastgroup, m[0], m.start())
    yield Token("end", "", len(text))


class Parser:
    def __init__(self, text, names):
        self.toks, self.names = list(tokens(text)), names

    def peek(self):
        return self.toks[0]

    def take(self):
        return self.toks.pop(0)

    def expr(self, level=0):
        left = self.atom()
        while (op := self.peek().text) in LEVELS and LEVELS[op] > level:
            self.take()
            left = OPS[op](left, self.expr(LEVELS[op]))
        return left

    def atom(self):
        t = self.take()
        if t.kind == "num":
            return float(t.text)
        if t.kind == "name":
            if self.peek().text == "=":
                self.take()
                self.names[t.text] = self.expr()
                return self.names[t.text]
            return self.names[t.text]
        if t.text == "(":
            v = self.expr()
            if self.take().text != ")":
                raise SyntaxError("expected )")
            return v
        if t.text == "-":
            return -self.expr(9)
        raise SyntaxError(f"unexpected {t.text!r} at {t.pos}")


LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
OPS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "^": lambda a, b: a**b}
names = {}
for line in ("1 + 2 * 3", "x = (1 + 2) * 3", "x ^ 2 - 1", "-x / 4", "y", "1 / 0", "2 $ 3", "(1"):
    try:
        print(line, "->", Parser(line, names).expr())
    except (SyntaxError, KeyError, ZeroDivisionError) as e:
        print(line, "->", type(e).__name__, e)
Parser("1 / (x - x)", names).expr()
