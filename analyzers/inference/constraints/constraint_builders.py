"""Makes constraints from values, as :func:`analyzers.guest.annotations.syntax.parse` would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from analyzers.guest.annotations.checking import InvalidConstraint, check
from analyzers.guest.annotations.constraints import KINDS, Argument, Constraint, Expression
from analyzers.guest.annotations.syntax import AnnotationError, choice_of_one, parse

NONE = Expression("None", literal=True, value=None)
_SHORT = {"ints": "int_lists", "floats": "float_lists", "bools": "bool_lists"}


def build(kind: str, /, **given: object) -> Constraint:
    """A constraint of a kind; what is ``None`` is left out, values become literals.

    A tuple given for a shape, for options or elements may hold constraints.
    Raises :class:`~analyzers.guest.annotations.checking.InvalidConstraint` where no value
    meets it.
    """
    order = {name: place for place, name in enumerate(KINDS[kind].parameters)}
    arguments = [(name, _argument(value)) for name, value in given.items() if value is not None]
    arguments.sort(key=lambda item: order.get(item[0], len(order)))
    made = Constraint(kind, tuple(arguments))
    check(made)
    return made


def build_if_possible(kind: str, /, **given: object) -> Constraint | None:
    """The constraint, ``None`` where no value meets it."""
    try:
        return build(kind, **given)
    except InvalidConstraint:
        return None


def _argument(value: object) -> Argument:
    if isinstance(value, (Constraint, Expression)):
        return value
    if isinstance(value, tuple):
        known = (Constraint, Expression)
        return tuple(each if isinstance(each, known) else literal(each) for each in value)
    return literal(value)


def literal(value: object) -> Expression:
    """The expression of a literal value."""
    return Expression(_source(value), literal=True, value=value)


def _source(value: object) -> str:
    if isinstance(value, str) and '"' not in value and repr(value)[1:-1] == value:
        return f'"{value}"'
    if type(value) in (list, tuple) and isinstance(value, (list, tuple)):
        inside = ", ".join(_source(each) for each in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def one_of(values: Iterable[object]) -> Constraint:
    """One of the values, each once, in their order (``froms``); there is at least one."""
    distinct: list[object] = []
    for value in values:
        if not any(type(value) is type(other) and value == other for other in distinct):
            distinct.append(value)
    return build("froms", values=literal(distinct))


def union_of(options: Iterable[Constraint | Expression]) -> Constraint:
    """The union of options, flat, each once; literal values stand together in one ``froms``.

    Raises ``ValueError`` where there is no option.
    """
    flat: list[Constraint | Expression] = []
    for part in (part for option in options for part in options_of(option)):
        if part not in flat:
            flat.append(part)
    values = [part.value for part in flat if isinstance(part, Expression) and part.literal]
    others = [part for part in flat if not (isinstance(part, Expression) and part.literal)]
    if not flat:
        raise ValueError("a union of nothing")
    if not others:
        return one_of(values)
    if len(others) == 1 and not values:
        return as_constraint(others[0])
    return Constraint("anys", (("options", (*others, *(literal(value) for value in values))),))


def options_of(option: Constraint | Expression) -> list[Constraint | Expression]:
    """The parts of a union: constraints without unions, and expressions of single values."""
    if isinstance(option, Constraint) and option.kind == "anys":
        inside = option["options"]
        parts = inside if isinstance(inside, tuple) else ()
        return [part for each in parts for part in options_of(each)]
    if isinstance(option, Constraint) and option.kind == "froms":
        values = option.value("values")
        if isinstance(values, (list, tuple)):
            return [literal(value) for value in values]
    return [option]


def map_parts(value: Argument, change: Callable[[Constraint], Constraint]) -> Argument:
    """An argument with the constraints that it is, or directly holds, changed."""
    if isinstance(value, Constraint):
        return change(value)
    if not isinstance(value, tuple):
        return value
    return tuple(change(each) if isinstance(each, Constraint) else each for each in value)


def as_constraint(option: Constraint | Expression) -> Constraint:
    """A constraint of an option: a single value is a choice of one."""
    return option if isinstance(option, Constraint) else choice_of_one(option)


def without_none(constraint: Constraint) -> tuple[Constraint | None, bool]:
    """A constraint without the value ``None``, and whether it had it.

    The constraint is ``None`` where nothing else is left.
    """
    parts = options_of(constraint)
    kept = [part for part in parts if part != NONE]
    if len(kept) == len(parts):
        return constraint, False
    return (union_of(kept) if kept else None), True


def optional(constraint: Constraint) -> Constraint:
    """The constraint, or ``None``."""
    return union_of([constraint, NONE])


def sequence(
    elements: Constraint | None, least: int | None = None, most: int | None = None
) -> Constraint:
    """A list of elements, by its short name where there is one."""
    if elements is not None and elements.kind in _SHORT and _plain(elements):
        bounds: dict[str, object] = dict(elements.arguments)
        return build(_SHORT[elements.kind], min_len=least, max_len=most, **bounds)
    if elements is not None and elements == Constraint("strings"):
        return build("string_lists", min_len=least, max_len=most)
    return build("lists", elements=elements, min_len=least, max_len=most)


def _plain(elements: Constraint) -> bool:
    names = {name for name, _ in elements.arguments}
    return names <= set(KINDS[_SHORT[elements.kind]].parameters)


def parse_constraint(text: str) -> Constraint | None:
    """The constraint of a text; ``None`` where it is none."""
    try:
        return parse(text)
    except AnnotationError:
        return None


def ints_text(low: int | None = None, high: int | None = None, multiple: int = 1) -> str:
    """``ints(min=low, max=high, multiple_of=multiple)``, bounds inclusive."""
    parts = [
        f"{name}={value}" for name, value in (("min", low), ("max", high)) if value is not None
    ]
    if multiple > 1:
        parts.append(f"multiple_of={multiple}")
    return f"ints({', '.join(parts)})"


def array_text(kind: str, dims: Sequence[str] | None, more: Mapping[str, object]) -> str:
    """An array: ``dims`` are written already, ``more`` are its other arguments."""
    parts = [f"{key}={value!r}" for key, value in more.items() if value is not None]
    if dims is not None:
        inside = ", ".join(dims)
        parts.insert(1 if "dtype" in more and more["dtype"] is not None else 0,
                     f"shape=({inside},)" if len(dims) == 1 else f"shape=({inside})")  # fmt: skip
    return f"{kind}({', '.join(parts)})"
