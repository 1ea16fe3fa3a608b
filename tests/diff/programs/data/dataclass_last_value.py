from dataclasses import dataclass


@dataclass
class Result:
    ok: bool
    items: list


Result(True, [1, 2])
