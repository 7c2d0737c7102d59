"""What a hidden test holds in the place of a student's object: the object stays in its process, and works there.

    a = student.Scalar(2.0)
    b = 3 * a + 1                            operators, the reflected and the in-place ones, too
    b.backward(); a.grad                     attributes and methods; what is plain data comes as data
    a.grad = 0.0
    layers[0], layers[1:], len(layers), list(layers), a in layers
    a == b                                   whether it is the very same object, whatever its class redefines

Each line of it reads the same with the reference's objects, but for the last: `is` of another process. An operation is
one request, a method's call two; each has the limits of a call, and what it raises is the student's error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from autograder.values import Handle

_BINARY = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
_ALONE = "neg pos abs invert".split()
_ORDER = "lt le gt ge".split()
_KEYWORDS = ("and", "or")  # of the language: the module `operator` puts a "_" after them

Plain = TypeVar("Plain")


class Site(Protocol):
    """Where an object is: works a function of Python's out there, named as "operator.add"."""

    def apply(self, function: str, *arguments: Any, **keywords: Any) -> Any: ...

    def apply_plain(self, kind: type[Plain], function: str, *arguments: Any) -> Plain: ...

    def length_of(self, value: Any) -> int: ...

    def items_of(self, value: Any) -> Iterator[Any]: ...


class Remote(Handle):
    """An object of a student's, and where it is."""

    handle_site: Site
    __array_ufunc__ = None  # so that NumPy leaves an operator to the object

    def __init__(self, handle_number: int, handle_type: str, handle_site: Site) -> None:
        super().__init__(handle_number, handle_type)
        object.__setattr__(self, "handle_site", handle_site)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and self.handle_number == other.handle_number

    def __hash__(self) -> int:
        return hash(self.handle_number)

    def __repr__(self) -> str:
        return f"<the notebook's {self.handle_type}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # by which Python and libraries ask what an object can do
            raise AttributeError(name)
        return self.handle_site.apply("builtins.getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.handle_site.apply("builtins.setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self.handle_site.apply("builtins.delattr", self, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.handle_site.apply("operator.call", self, *arguments, **keywords)

    def __getitem__(self, key: Any) -> Any:
        return self.handle_site.apply("operator.getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.handle_site.apply("operator.setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self.handle_site.apply("operator.delitem", self, key)

    def __iter__(self) -> Iterator[Any]:
        yield from self.handle_site.items_of(self)

    def __contains__(self, item: Any) -> bool:
        return self.handle_site.apply_plain(bool, "operator.contains", self, item)

    def __len__(self) -> int:
        return self.handle_site.length_of(self)

    def __bool__(self) -> bool:
        return self.handle_site.apply_plain(bool, "operator.truth", self)

    def __int__(self) -> int:
        return self.handle_site.apply_plain(int, "builtins.int", self)

    def __float__(self) -> float:
        return self.handle_site.apply_plain(float, "builtins.float", self)

    def __str__(self) -> str:
        return self.handle_site.apply_plain(str, "builtins.str", self)

    def __copy__(self) -> Any:
        return self.handle_site.apply("copy.copy", self)

    def __deepcopy__(self, _: dict[int, Any]) -> Any:
        return self.handle_site.apply("copy.deepcopy", self)


def _operator(function: str) -> Callable[..., Any]:
    def operate(self: Remote, *operands: Any) -> Any:
        return self.handle_site.apply(function, self, *operands)

    return operate


def _reflected(function: str) -> Callable[..., Any]:
    def operate(self: Remote, operand: Any) -> Any:
        return self.handle_site.apply(function, operand, self)

    return operate


for _name in (*_BINARY, *_ALONE, *_ORDER):
    setattr(Remote, f"__{_name}__", _operator(f"operator.{_name}{'_' if _name in _KEYWORDS else ''}"))
for _name in _BINARY:
    setattr(Remote, f"__i{_name}__", _operator(f"operator.i{_name}"))
    setattr(Remote, f"__r{_name}__", _reflected(f"operator.{_name}{'_' if _name in _KEYWORDS else ''}"))
