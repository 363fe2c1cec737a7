"""Shapes of arrays as tuples of dimensions: what two have in common, and their names."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression

from ..facts import Confidence, ConstraintSource, InferredConstraint, all_known
from .constraint_builders import literal, map_parts
from .intervals import Interval, interval_of

Dimension = Constraint | Expression
_ANY = ("_", "...")
_NAME = re.compile(r"[A-Za-z]\w*")


def dims_of(shape: Argument | None) -> tuple[Dimension, ...] | None:
    """The dimensions of a shape; ``None`` where it is not given as a tuple or in words."""
    if isinstance(shape, tuple):
        return shape
    if not (isinstance(shape, Expression) and shape.literal):
        return None
    value = shape.value
    if isinstance(value, str):
        words = value.split()
        return tuple(literal(int(word) if word.isdigit() else word) for word in words)
    if isinstance(value, (tuple, list)):
        return tuple(literal(each) for each in value)
    return (literal(value),) if isinstance(value, int) else None


def is_variadic(dim: Dimension) -> bool:
    """Return whether it stands for any number of dimensions."""
    word = _word(dim)
    return word == "..." or word.startswith("*")


def _word(dim: Dimension) -> str:
    if isinstance(dim, Expression) and isinstance(dim.value, str):
        return dim.value
    return ""


def _size(dim: Dimension) -> int | None:
    if isinstance(dim, Expression) and dim.literal and isinstance(dim.value, int):
        return dim.value
    return None


def meet_shapes(first: Argument, second: Argument) -> Argument | None:
    """The shapes that both allow; ``None`` where there is none.

    A size stands before a range, a range before a name, a name before ``_``;
    of two names the first's stands.  Where one has any number of dimensions
    the other is what is left; where neither can be read, the first.
    """
    left, right = dims_of(first), dims_of(second)
    if left is None or right is None:
        return first if left is not None or right is None else second
    if any(map(is_variadic, left)):
        return first if any(map(is_variadic, right)) else _fitted(left, right)
    if any(map(is_variadic, right)):
        return _fitted(right, left)
    return _meet_dims(left, right)


def _meet_dims(
    left: tuple[Dimension, ...], right: tuple[Dimension, ...]
) -> tuple[Dimension, ...] | None:
    if len(left) != len(right):
        return None
    dims = (_meet_dim(one, other) for one, other in zip(left, right, strict=True))
    met: list[Dimension] | None = all_known(dims)
    return None if met is None else _tied(_tied(tuple(met), left), right)


def _tied(dims: tuple[Dimension, ...], by: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    """The dimensions, with those that a shape gives one name alike, where only names stand."""
    found = list(dims)
    for index, dim in enumerate(by):
        first = next(at for at, each in enumerate(by) if _word(each) == _word(dim))
        plain = _word(dim) not in ("", *_ANY) and _word(found[first]) not in ("", *_ANY)
        if plain and first < index and _word(found[index]):
            found[index] = found[first]
    return tuple(found)


def _fitted(
    open_: tuple[Dimension, ...], closed: tuple[Dimension, ...]
) -> tuple[Dimension, ...] | None:
    """The closed shape, met with what stands around the variadic dimension of the open one."""
    place = next(index for index, dim in enumerate(open_) if is_variadic(dim))
    missing = len(closed) - (len(open_) - 1)
    if missing < 0:
        return None
    filling: tuple[Dimension, ...] = (literal("_"),) * missing
    return _meet_dims(closed, (*open_[:place], *filling, *open_[place + 1 :]))


def _meet_dim(left: Dimension, right: Dimension) -> Dimension | None:
    one, other = _size(left), _size(right)
    if one is not None or other is not None:
        if one is not None and other is not None:
            return left if one == other else None
        size, ranged = (left, right) if one is not None else (right, left)
        fits = not isinstance(ranged, Constraint) or interval_of(ranged).around(_size(size) or 0)
        return size if fits else None
    if isinstance(left, Constraint) and isinstance(right, Constraint):
        return interval_of(left).meet(interval_of(right)).ints()
    if isinstance(right, Constraint):
        return right
    return right if _word(left) in _ANY else left


def join_shapes(first: Argument, second: Argument) -> Argument | None:
    """A shape around both, a range of sizes where they differ; ``None`` for unlike ranks."""
    left, right = dims_of(first), dims_of(second)
    if left is None or right is None or len(left) != len(right):
        return None
    return tuple(_join_dim(one, other) for one, other in zip(left, right, strict=True))


def _join_dim(left: Dimension, right: Dimension) -> Dimension:
    if left == right:
        return left
    one, other = _span(left), _span(right)
    both = one.join(other).ints() if one and other else None
    return both if both is not None else literal("_")


def _span(dim: Dimension) -> Interval | None:
    size = _size(dim)
    if size is not None:
        return Interval(size, size)
    return interval_of(dim) if isinstance(dim, Constraint) else None


def names_in(shape: Argument | None) -> list[str]:
    """The names of dimensions in a shape, in their order."""
    return [name for dim in dims_of(shape) or () for name in _NAME.findall(_word(dim))]


def renamed(shape: Argument, names: Mapping[str, Dimension]) -> Argument:
    """A shape with dimensions' names replaced by other names or sizes."""
    dims = dims_of(shape)
    return shape if dims is None else tuple(_renamed(dim, names) for dim in dims)


def _renamed(dim: Dimension, names: Mapping[str, Dimension]) -> Dimension:
    word = _word(dim)
    if word in names:
        return names[word]
    changed = _NAME.sub(lambda name: _text(names, name[0]), word)
    return dim if changed == word else literal(changed)


def _text(names: Mapping[str, Dimension], name: str) -> str:
    new = names.get(name)
    return str(new.value) if isinstance(new, Expression) else name


def rewritten(
    constraint: Constraint, change: Callable[[Argument], Argument], argument: str = "shape"
) -> Constraint:
    """A constraint with every shape (or other argument) in it changed."""

    def inside(part: Constraint) -> Constraint:
        return rewritten(part, change, argument)

    arguments = tuple(
        (name, change(value) if name == argument else map_parts(value, inside))
        for name, value in constraint.arguments
    )
    return Constraint(constraint.kind, arguments)


Renames = dict[tuple[ConstraintSource, str], Dimension]


def unify_dimension_names(facts: Sequence[InferredConstraint]) -> list[InferredConstraint]:
    """The facts, their dimensions named as the surest source of each parameter names them.

    Where the docstring's ``(B, C)`` stands beside a hint's ``"b c"`` for one
    parameter, ``B`` is ``b`` wherever the docstring says it; where a surer
    source knows a size, the name is that size in all of its source.
    """
    names: Renames = {}
    for parameter in dict.fromkeys(fact.parameter for fact in facts):
        shaped = [
            fact
            for fact in facts
            if fact.parameter == parameter
            and fact.confidence > Confidence.GUESS
            and dims_of(fact.constraint["shape"]) is not None
        ]
        shaped.sort(key=lambda fact: -fact.confidence)
        for place, other in enumerate(shaped):
            for base in shaped[:place]:
                _compare(base, other, names)
    _same_but_for_case(facts, names)
    found: list[InferredConstraint] = []
    for fact in facts:
        ours = {name: dim for (source, name), dim in names.items() if source == fact.source}
        changed = rewritten(fact.constraint, functools.partial(renamed, names=ours))
        found.append(replace(fact, constraint=changed) if ours else fact)
    return found


def _compare(base: InferredConstraint, other: InferredConstraint, names: Renames) -> None:
    left, right = dims_of(base.constraint["shape"]) or (), dims_of(other.constraint["shape"]) or ()
    if base.source == other.source or len(left) != len(right):
        return
    if any(map(is_variadic, (*left, *right))):
        return
    for one, two in zip(left, right, strict=True):
        named = _name(two)
        if named and (_name(one) or _size(one) is not None):
            names.setdefault((other.source, named), one)
        elif _name(one) and _size(two) is not None:
            names.setdefault((base.source, _name(one)), two)


def _same_but_for_case(facts: Sequence[InferredConstraint], names: Renames) -> None:
    """``B`` is ``b`` where a surer source says ``b`` of another parameter."""
    known: dict[str, str] = {}
    for fact in sorted(facts, key=lambda fact: -fact.confidence):
        for name in names_in(fact.constraint["shape"]):
            first = known.setdefault(name.lower(), name)
            if first != name:
                names.setdefault((fact.source, name), literal(first))


def _name(dim: Dimension) -> str:
    value = dim.value if isinstance(dim, Expression) else None
    return value if isinstance(value, str) and value.isidentifier() and value != "_" else ""
