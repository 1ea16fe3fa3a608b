import typing
from typing import Any, Callable, Dict, Generic, List, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union, get_type_hints

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, v: T):
        self.v = v


class HasLen(Protocol):
    def __len__(self) -> int: ...


class Movie(TypedDict, total=False):
    name: str


class Emp(NamedTuple):
    name: str
    id: int = 3


print(Box[int], Optional[int], Union[int, str, int], Dict[str, List[int]], Callable[[int], str], Emp("x"), Movie(name="m"))
print(get_type_hints(Emp), typing.get_origin(List[int]), typing.get_args(Dict[str, int]), typing.cast(int, "x"), typing.TYPE_CHECKING)


def f(a: "int", b: Optional["Box"] = None) -> Any: ...


print(get_type_hints(f), f.__annotations__, list[int], Box[int](5).v, T)
isinstance([], List[int])
