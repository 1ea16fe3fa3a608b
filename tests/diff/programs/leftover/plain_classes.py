import collections, dataclasses, enum, json, re
@dataclasses.dataclass
class P:
    x: int
class C(enum.Enum):
    A = 1
T = collections.namedtuple("T", "a b")
print(P(1), C.A, T(1, 2), json.dumps({"a": [1]}), re.findall(r"\d", "a1b2"))
