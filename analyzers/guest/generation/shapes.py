"""Shapes: sizes drawn for dimensions, whose names all arguments of a call share.

A name is bound by whoever draws it first.  Sizes are 1 to 8, and arrays of at
most 4096 elements, where nothing else is said.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple

from ..annotations.nouns import Argument, Constraint, Expression
from ..annotations.rendering import render
from .dimensions import (
    MOST_SIDE,
    Computed,
    Dimension,
    Drawn,
    Open,
    Side,
    dimensions,
    items_of,
    names_of,
    worth,
)
from .recipes import Display, Literal, Recipe, evaluate
from .scope import Scope, Unmeetable

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Draws = Callable[[DrawFn], Tuple[int, ...]]

MOST_DIMS = 4
MOST_ELEMENTS = 4096
MOST_ELEMENTS_SAID = 2**16
"""The default limits; the last holds where sizes are said, as far as their minima allow."""

_MOST_OPEN, _MOST_OPEN_SIDE = 2, 3
_TRIED = 64


def drawing(given: Optional[Argument], scope: Scope) -> Draws:
    """What draws the sizes of a shape as it is annotated; ``None``: any shape."""
    if given is None:
        given = Constraint("np_shapes")
    if isinstance(given, Constraint):
        return _constrained(given, scope)
    if isinstance(given, Expression) and not given.literal:
        return _evaluated(given, scope)
    items = dimensions(given, scope)
    return lambda draw: sizes(items, scope, draw)


def _constrained(given: Constraint, scope: Scope) -> Draws:
    from .strategies import strategy

    found = strategy(given, scope)

    def drawn(draw: DrawFn) -> Tuple[int, ...]:
        return _as_sizes(evaluate(draw(found), scope.namespace), render(given))

    return drawn


def _evaluated(given: Expression, scope: Scope) -> Draws:
    def drawn(draw: DrawFn) -> Tuple[int, ...]:
        bind(given.source, scope, draw)
        return _as_sizes(scope.value(given.source), given.source)

    return drawn


def _as_sizes(value: Any, said: str) -> Tuple[int, ...]:
    try:
        return tuple(int(size) for size in items_of(value))
    except (TypeError, ValueError) as error:
        raise Unmeetable(said, f"{value!r} is no shape") from error


def sizes(items: Sequence[Dimension], scope: Scope, draw: DrawFn) -> Tuple[int, ...]:
    """Sizes for dimensions: what is bound, then what is free, then what is computed."""
    found: List[Optional[Tuple[int, ...]]] = [_bound(item, scope, draw) for item in items]
    room = MOST_ELEMENTS_SAID if any(_is_said(item) for item in items) else MOST_ELEMENTS
    for size in _flat(found):
        room //= max(1, size)
    free = [item for item, size in zip(items, found) if size is None and isinstance(item, Side)]
    least = 1
    for side in free:
        least *= max(1, _low(side, scope))
    for place, item in enumerate(items):
        if found[place] is None and isinstance(item, Side):
            least //= max(1, _low(item, scope))
            size = _sized(item, room // least, scope, draw)
            room //= max(1, size)
            found[place] = (size,)
    for place, item in enumerate(items):
        if found[place] is None and isinstance(item, Computed):
            found[place] = (_computed(item, scope, draw),)
    return tuple(_flat(found))


def _flat(found: Sequence[Optional[Tuple[int, ...]]]) -> List[int]:
    return [size for part in found if part is not None for size in part]


def _is_said(item: Dimension) -> bool:
    return isinstance(item, Drawn) or (isinstance(item, Side) and item.said)


def _bound(item: Dimension, scope: Scope, draw: DrawFn) -> Optional[Tuple[int, ...]]:
    """The sizes of a dimension that depends on no other."""
    if isinstance(item, int):
        return (item,)
    if isinstance(item, Side):
        size = scope.dims.get(item.name)
        return (size,) if isinstance(size, int) else size
    if isinstance(item, Open):
        return _opened(item, scope, draw)
    if isinstance(item, Drawn):
        return (int(evaluate(draw(item.strategy), scope.namespace)),)
    return None


def _opened(item: Open, scope: Scope, draw: DrawFn) -> Tuple[int, ...]:
    size = scope.dims.get(item.name)
    if size is None:
        side = whole(1, _MOST_OPEN_SIDE)
        size = tuple([draw(side) for _ in range(draw(whole(0, _MOST_OPEN)))])
        if item.name:
            scope.dims[item.name] = size
    return size if isinstance(size, tuple) else (size,)


def _low(side: Side, scope: Scope) -> int:
    return max(side.low, scope.least.get(side.name, 1)) if side.name else side.low


def _sized(side: Side, room: int, scope: Scope, draw: DrawFn) -> int:
    """A size for a free dimension, which it binds: two of one name have one size."""
    if side.name in scope.dims:
        return scope.dims[side.name]  # type: ignore[return-value]
    low = _low(side, scope)
    high = min(side.high, scope.most.get(side.name, side.high)) if side.name else side.high
    size = draw(whole(low, max(low, min(high, room))))
    if side.name:
        scope.dims[side.name] = size
    return size


def bound(name: str, scope: Scope, draw: DrawFn) -> int:
    """The size of a dimension, drawn where nothing has bound it yet."""
    return _sized(Side(name), MOST_SIDE, scope, draw)


def bind(source: str, scope: Scope, draw: DrawFn) -> None:
    """Draw the free dimensions of an expression; raises :class:`Unmeetable` for other names."""
    for name in sorted(scope.unbound(source)):
        if name not in scope.named:
            raise Unmeetable(source, f"nothing is named {name}")
        bound(name, scope, draw)


def _computed(item: Computed, scope: Scope, draw: DrawFn) -> int:
    if not item.words:
        bind(item.source, scope, draw)
        return int(scope.value(item.source))
    return computed(item.source, scope, draw)


def computed(source: str, scope: Scope, draw: DrawFn) -> int:
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


def _suiting(source: str, name: str, scope: Scope) -> List[int]:
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


def np_shapes(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Tuples of sizes: 1 to 4 dimensions of 1 to 8 where nothing is said."""
    from hypothesis.strategies import composite

    dims = _range(constraint, "dims", MOST_DIMS)
    side = _range(constraint, "side", MOST_SIDE)
    said = constraint["max_side"] is not None or constraint["min_side"] is not None
    items = Side("", side[0], side[1], said=said)
    apart = Scope()

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


def shape_recipe(shape: Sequence[int]) -> Display:
    """The recipe of a shape."""
    return Display("tuple", tuple([Literal(size) for size in shape]))
