from __future__ import annotations

x: list[Undefined] = 5
print(__annotations__)


def f(a: Nope) -> AlsoNope: ...


print(f.__annotations__)
