# needs: 3.10
def f(x):
    match x:
        case 0:
            return "zero"
        case [a, b, *rest]:
            return f"seq {a} {b} {rest}"
        case {"k": v}:
            return f"map {v}"
        case str() as s if s.isupper():
            return "upper " + s
        case _:
            return "other"


for x in (0, [1, 2, 3], {"k": 5}, "ABC", "abc"):
    print(f(x))
match 5:
    case n:
        n
