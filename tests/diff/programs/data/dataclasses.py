import dataclasses
from dataclasses import dataclass, field


@dataclass(order=True)
class P:
    x: int
    y: int = 0
    tags: list = field(default_factory=list, compare=False)

    def __post_init__(self):
        self.total = self.x + self.y


@dataclass(frozen=True)
class F:
    v: str = "v"


print(P(1, 2), P(1) < P(2), dataclasses.asdict(P(1)), dataclasses.replace(P(1), y=5), [f.name for f in dataclasses.fields(P)])
print(hash(F()) == hash(F()), dataclasses.make_dataclass("M", ["a"])(1), P.__match_args__ if hasattr(P, "__match_args__") else "")
F().v = 1
