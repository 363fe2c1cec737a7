"""Draw sizes, 1 to 8 unless stated, for dimensions whose names a call's arguments share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ...annotations.constraints import Argument, Constraint, Expression
from ...annotations.syntax import render
from ..recipes import DisplayRecipe, LiteralRecipe, Recipe, evaluate
from .call_scope import CallScope, UnsatisfiableConstraint, compiled, names_in

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Draws = Callable[[DrawFn], Tuple[int, ...]]

MOST_SIDE = 8
"""The largest size of a dimension of which nothing is said."""

_TRIED = 64


@dataclass(frozen=True)
class SizedDimension:
    """A dimension of a size from ``low`` to ``high``, bound to ``name`` if it has one."""

    name: str = ""
    low: int = 1
    high: int = MOST_SIDE
    said: bool = False


@dataclass(frozen=True)
class OpenDimensions:
    """Any number of dimensions, bound to ``name`` if they have one."""

    name: str = ""


@dataclass(frozen=True)
class ComputedDimension:
    """A dimension whose size is an expression, of dimensions alone where ``words`` is set."""

    source: str
    words: bool = True


@dataclass(frozen=True)
class DrawnDimension:
    """A dimension whose size is drawn by a strategy of recipes."""

    strategy: Any


Dimension = Union[int, SizedDimension, OpenDimensions, ComputedDimension, DrawnDimension]


def dimensions(given: Optional[Argument], scope: CallScope) -> Tuple[Dimension, ...]:
    """The dimensions of a shape as it is annotated, words or a tuple."""
    if isinstance(given, tuple):
        return tuple(_dimension(item, scope) for item in given)
    if isinstance(given, Expression) and given.literal:
        return tuple(_word(item) for item in items_of(given.value))
    raise UnsatisfiableConstraint(getattr(given, "source", str(given)), "it is no shape")


def items_of(value: Any) -> Sequence[Any]:
    """The dimensions of a literal shape, each a size or a word."""
    if isinstance(value, str):
        return value.split()
    return value if isinstance(value, (tuple, list)) else (value,)


def _dimension(item: Union[Constraint, Expression], scope: CallScope) -> Dimension:
    if isinstance(item, Expression):
        return _word(item.value) if item.literal else ComputedDimension(item.source, words=False)
    if item.kind == "ints" and all(_number(given) for _, given in item.arguments):
        low, high = item.value("min"), item.value("max")
        if item["multiple_of"] is None:
            least = min(1, MOST_SIDE if high is None else high) if low is None else low
            return SizedDimension(
                "", max(0, least), max(least, MOST_SIDE) if high is None else high, said=True
            )
    from .strategies import strategy

    return DrawnDimension(strategy(item, scope))


def _number(given: Argument) -> bool:
    return isinstance(given, Expression) and given.literal


def _word(item: Any) -> Dimension:
    if isinstance(item, int):
        return int(item)
    word = "..." if item is ... else str(item).strip()
    if word.isdigit():
        return int(word)
    if word == "..." or word.startswith("*"):
        name = word.lstrip("*.")
        return OpenDimensions("" if name == "_" else name)
    if word.isidentifier():
        return SizedDimension("" if word == "_" else word)
    names_of(word)
    return ComputedDimension(word)


def names_of(word: str) -> Tuple[str, ...]:
    """The names of a computed dimension, in the order in which they stand there."""
    try:
        return tuple(sorted(names_in(word), key=word.index))
    except SyntaxError as error:
        raise UnsatisfiableConstraint(word, "it is no dimension") from error


def note(given: Argument, scope: CallScope) -> None:
    """Tell a scope the dimensions that a shape names, and how small those computed from can be."""
    for item in dimensions(given, scope) if _is_written(given) else ():
        if isinstance(item, ComputedDimension):
            scope.named |= set(names_of(item.source)) if item.words else scope.unbound(item.source)
            _note_least(item, scope)
        elif isinstance(item, (SizedDimension, OpenDimensions)) and item.name:
            scope.named.add(item.name)


def _note_least(item: ComputedDimension, scope: CallScope) -> None:
    if not item.words or len(names_of(item.source)) != 1:
        return
    name = names_of(item.source)[0]
    sizes = [size for size in range(1, _TRIED) if worth(item.source, {name: size})]
    if not sizes:
        raise UnsatisfiableConstraint(item.source, "no size meets it")
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


MOST_DIMS = 4
MOST_ELEMENTS = 4096
MOST_ELEMENTS_SAID = 2**16
"""The default limits; the last holds where sizes are said, as far as their minima allow."""

_MOST_OPEN, _MOST_OPEN_SIDE = 2, 3


def drawing(given: Optional[Argument], scope: CallScope) -> Draws:
    """Return what draws the sizes of a shape as it is annotated; ``None``: any shape."""
    if given is None:
        given = Constraint("np_shapes")
    if isinstance(given, Constraint):
        from .strategies import strategy

        found = strategy(given, scope)

        def drawn(draw: DrawFn) -> Tuple[int, ...]:
            return _as_sizes(evaluate(draw(found), scope.namespace), render(given))

        return drawn
    if isinstance(given, Expression) and not given.literal:
        return _evaluated(given, scope)
    items = dimensions(given, scope)
    return lambda draw: sizes(items, scope, draw)


def _evaluated(given: Expression, scope: CallScope) -> Draws:
    def drawn(draw: DrawFn) -> Tuple[int, ...]:
        bind(given.source, scope, draw)
        return _as_sizes(scope.value(given.source), given.source)

    return drawn


def _as_sizes(value: Any, said: str) -> Tuple[int, ...]:
    try:
        return tuple(int(size) for size in items_of(value))
    except (TypeError, ValueError) as error:
        raise UnsatisfiableConstraint(said, f"{value!r} is no shape") from error


def sizes(items: Sequence[Dimension], scope: CallScope, draw: DrawFn) -> Tuple[int, ...]:
    """Sizes for dimensions: what is bound, then what is free, then what is computed."""
    found: List[Optional[Tuple[int, ...]]] = [_bound(item, scope, draw) for item in items]
    room = MOST_ELEMENTS_SAID if any(_is_said(item) for item in items) else MOST_ELEMENTS
    for size in _flat(found):
        room //= max(1, size)
    free = [
        item
        for item, size in zip(items, found)
        if size is None and isinstance(item, SizedDimension)
    ]
    least = 1
    for side in free:
        least *= max(1, _low(side, scope))
    for place, item in enumerate(items):
        if found[place] is None and isinstance(item, SizedDimension):
            least //= max(1, _low(item, scope))
            size = _sized(item, room // least, scope, draw)
            room //= max(1, size)
            found[place] = (size,)
    for place, item in enumerate(items):
        if found[place] is None and isinstance(item, ComputedDimension):
            found[place] = (_computed(item, scope, draw),)
    return tuple(_flat(found))


def _flat(found: Sequence[Optional[Tuple[int, ...]]]) -> List[int]:
    return [size for part in found if part is not None for size in part]


def _is_said(item: Dimension) -> bool:
    return isinstance(item, DrawnDimension) or (isinstance(item, SizedDimension) and item.said)


def _bound(item: Dimension, scope: CallScope, draw: DrawFn) -> Optional[Tuple[int, ...]]:
    if isinstance(item, int):
        return (item,)
    if isinstance(item, SizedDimension):
        size = scope.dims.get(item.name)
        return (size,) if isinstance(size, int) else size
    if isinstance(item, OpenDimensions):
        return _opened(item, scope, draw)
    if isinstance(item, DrawnDimension):
        return (int(evaluate(draw(item.strategy), scope.namespace)),)
    return None


def _opened(item: OpenDimensions, scope: CallScope, draw: DrawFn) -> Tuple[int, ...]:
    size = scope.dims.get(item.name)
    if size is None:
        side = whole(1, _MOST_OPEN_SIDE)
        size = tuple([draw(side) for _ in range(draw(whole(0, _MOST_OPEN)))])
        if item.name:
            scope.dims[item.name] = size
    return size if isinstance(size, tuple) else (size,)


def _low(side: SizedDimension, scope: CallScope) -> int:
    return max(side.low, scope.least.get(side.name, 1)) if side.name else side.low


def _sized(side: SizedDimension, room: int, scope: CallScope, draw: DrawFn) -> int:
    """A size for a free dimension, which it binds: two of one name have one size."""
    if side.name in scope.dims:
        return scope.dims[side.name]  # type: ignore[return-value]
    low = _low(side, scope)
    high = min(side.high, scope.most.get(side.name, side.high)) if side.name else side.high
    size = draw(whole(low, max(low, min(high, room))))
    if side.name:
        scope.dims[side.name] = size
    return size


def bound(name: str, scope: CallScope, draw: DrawFn) -> int:
    """The size of a dimension, drawn where nothing has bound it yet."""
    return _sized(SizedDimension(name), MOST_SIDE, scope, draw)


def bind(source: str, scope: CallScope, draw: DrawFn) -> None:
    """Draw an expression's free dimensions; raise :class:`UnsatisfiableConstraint` for others."""
    for name in sorted(scope.unbound(source)):
        if name not in scope.named:
            raise UnsatisfiableConstraint(source, f"nothing is named {name}")
        bound(name, scope, draw)


def _computed(item: ComputedDimension, scope: CallScope, draw: DrawFn) -> int:
    if not item.words:
        bind(item.source, scope, draw)
        return int(scope.value(item.source))
    return computed(item.source, scope, draw)


def computed(source: str, scope: CallScope, draw: DrawFn) -> int:
    """The size that an expression of dimensions has, once its free ones are drawn to suit it."""
    from hypothesis import assume

    free = [name for name in names_of(source) if name not in scope.dims]
    for name in free[1:]:
        bound(name, scope, draw)
    if free:
        suiting = _suiting(source, free[0], scope)
        assume(suiting)
        scope.dims[free[0]] = suiting[draw(whole(0, len(suiting) - 1))]
    dims = {name: scope.dims[name] for name in names_of(source)}
    size = worth(source, dims)
    assume(size)
    return size


def _suiting(source: str, name: str, scope: CallScope) -> List[int]:
    """Sizes of a free dimension under which a computed one is small, or else as small as can be."""
    others = {other: scope.dims[other] for other in names_of(source) if other != name}
    low = scope.least.get(name, 1)
    tried = range(low, max(low, scope.most.get(name, low + _TRIED)) + 1)
    sized = {size: worth(source, {**others, name: size}) for size in tried}
    small = [size for size in tried if 1 <= sized[size] <= MOST_SIDE and size <= 2 * MOST_SIDE]
    return small or [size for size in tried if sized[size]][:1]


@lru_cache(maxsize=1024)
def whole(low: int, high: int) -> SearchStrategy[int]:
    """Integers from ``low`` to ``high``; shrinks to ``low``."""
    from hypothesis.strategies import integers

    return integers(low, high)


# ------------------------------------------------------------------ np_shapes


def np_shapes(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Tuples of sizes: 1 to 4 dimensions of 1 to 8 where nothing is said."""
    from hypothesis.strategies import composite

    dims = _range(constraint, "dims", MOST_DIMS)
    side = _range(constraint, "side", MOST_SIDE)
    said = constraint["max_side"] is not None or constraint["min_side"] is not None
    items = SizedDimension("", side[0], side[1], said=said)
    apart = CallScope()

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        count = draw(whole(*dims))
        return shape_recipe(sizes((items,) * count, apart, draw))

    return drawn()


def _range(constraint: Constraint, what: str, most: int) -> Tuple[int, int]:
    low, high = constraint.value(f"min_{what}"), constraint.value(f"max_{what}")
    if low is None:
        low = 1 if high is None else min(1, high)
    return low, max(low, most) if high is None else high


def shape_recipe(shape: Sequence[int]) -> DisplayRecipe:
    """The recipe of a shape."""
    return DisplayRecipe("tuple", tuple([LiteralRecipe(size) for size in shape]))
