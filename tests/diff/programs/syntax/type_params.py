# needs: 3.12
def first[T](xs: list[T]) -> T:
    return xs[0]


type Pair[A] = tuple[A, A]


class Box[T: int]:
    pass


print(first([1, 2]), Pair, Pair.__type_params__, Box.__type_params__, Pair.__value__)
