"""What the words of a shape say: dimensions, named, fixed, open or computed.

The words are those of jaxtyping: a size, a name, ``*name`` and ``...`` for any
number of dimensions, ``_`` for any size, and expressions of names (``2*n``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import AbstractSet, Any, Mapping, Optional, Sequence, Tuple, Union

from ..annotations.nouns import Argument, Constraint, Expression
from .scope import Scope, Unmeetable, compiled, names_in

MOST_SIDE = 8
"""The largest size of a dimension of which nothing is said."""

_TRIED = 64


@dataclass(frozen=True)
class Side:
    """A dimension of a size from ``low`` to ``high``, bound to ``name`` if it has one."""

    name: str = ""
    low: int = 1
    high: int = MOST_SIDE
    said: bool = False


@dataclass(frozen=True)
class Open:
    """Any number of dimensions, bound to ``name`` if they have one."""

    name: str = ""


@dataclass(frozen=True)
class Computed:
    """A dimension whose size is an expression, of dimensions alone where ``words`` is set."""

    source: str
    words: bool = True


@dataclass(frozen=True)
class Drawn:
    """A dimension whose size is drawn by a strategy of recipes."""

    strategy: Any


Dimension = Union[int, Side, Open, Computed, Drawn]


def dimensions(given: Optional[Argument], scope: Scope) -> Tuple[Dimension, ...]:
    """The dimensions of a shape as it is annotated, words or a tuple."""
    if isinstance(given, tuple):
        return tuple(_dimension(item, scope) for item in given)
    if isinstance(given, Expression) and given.literal:
        return tuple(_word(item) for item in items_of(given.value))
    raise Unmeetable(getattr(given, "source", str(given)), "it is no shape")


def items_of(value: Any) -> Sequence[Any]:
    """The dimensions of a literal shape, each a size or a word."""
    if isinstance(value, str):
        return value.split()
    return value if isinstance(value, (tuple, list)) else (value,)


def _dimension(item: Union[Constraint, Expression], scope: Scope) -> Dimension:
    if isinstance(item, Expression):
        return _word(item.value) if item.literal else Computed(item.source, words=False)
    if item.kind == "ints" and all(_number(given) for _, given in item.arguments):
        low, high = item.value("min"), item.value("max")
        if item["multiple_of"] is None:
            return _side(low, high)
    from .strategies import strategy

    return Drawn(strategy(item, scope))


def _number(given: Argument) -> bool:
    return isinstance(given, Expression) and given.literal


def _side(low: Optional[int], high: Optional[int]) -> Side:
    least = min(1, MOST_SIDE if high is None else high) if low is None else low
    return Side("", max(0, least), max(least, MOST_SIDE) if high is None else high, said=True)


def _word(item: Any) -> Dimension:
    if isinstance(item, int):
        return int(item)
    word = "..." if item is ... else str(item).strip()
    if word.isdigit():
        return int(word)
    if word == "..." or word.startswith("*"):
        name = word.lstrip("*.")
        return Open("" if name == "_" else name)
    if word.isidentifier():
        return Side("" if word == "_" else word)
    names_of(word)
    return Computed(word)


def names_of(word: str) -> Tuple[str, ...]:
    """The names of a computed dimension, in the order in which they stand there."""
    try:
        return tuple(sorted(names_in(word), key=word.index))
    except SyntaxError as error:
        raise Unmeetable(word, "it is no dimension") from error


def note(given: Argument, scope: Scope) -> None:
    """Tell a scope the dimensions that a shape names, and how small those computed from can be."""
    for item in dimensions(given, scope) if _is_written(given) else ():
        if isinstance(item, Computed):
            scope.named |= _free(item, scope)
            _note_least(item, scope)
        elif isinstance(item, (Side, Open)) and item.name:
            scope.named.add(item.name)


def _free(item: Computed, scope: Scope) -> AbstractSet[str]:
    return set(names_of(item.source)) if item.words else scope.unbound(item.source)


def _note_least(item: Computed, scope: Scope) -> None:
    if not item.words or len(names_of(item.source)) != 1:
        return
    name = names_of(item.source)[0]
    sizes = [size for size in range(1, _TRIED) if worth(item.source, {name: size})]
    if not sizes:
        raise Unmeetable(item.source, "no size meets it")
    scope.least[name] = max(scope.least.get(name, 1), sizes[0])


def _is_written(given: Argument) -> bool:
    return isinstance(given, tuple) or (isinstance(given, Expression) and given.literal)


def worth(source: str, dims: Mapping[str, Any]) -> int:
    """The size that an expression of dimensions has, 0 where it is none."""
    return _worth(source, tuple(sorted(dims.items())))


@lru_cache(maxsize=4096)
def _worth(source: str, dims: Tuple[Tuple[str, Any], ...]) -> int:
    try:
        value = eval(compiled(source), {"__builtins__": {}}, dict(dims))
        return int(value) if value == int(value) and value > 0 else 0
    except (ArithmeticError, TypeError, ValueError, NameError):
        return 0
