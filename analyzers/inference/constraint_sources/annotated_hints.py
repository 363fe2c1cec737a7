"""What stands behind the type in ``Annotated``: bounds, lengths, shapes, conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.guest.annotations.constraints import Constraint
from analyzers.guest.annotations.syntax import AnnotationError, parse
from analyzers.inference.constraint_sources.module_scope import ModuleScope
from analyzers.inference.constraints.constraint_builders import build, build_if_possible, literal
from analyzers.inference.constraints.lattice import ARRAYS, meet

_KEYWORDS: dict[str, dict[str, object]] = {
    "gt": {"min": None, "exclude_min": True},
    "ge": {"min": None},
    "lt": {"max": None, "exclude_max": True},
    "le": {"max": None},
    "multiple_of": {"multiple_of": None},
    "min_length": {"min_len": None},
    "max_length": {"max_len": None},
    "min_items": {"min_len": None},
    "max_items": {"max_len": None},
    "pattern": {"pattern": None},
}
"""What the words of pydantic and annotated_types are in aN; ``None`` is their value."""
_CLASSES = {
    "Gt": "gt", "Ge": "ge", "Lt": "lt", "Le": "le", "MultipleOf": "multiple_of",
    "MinLen": "min_length", "MaxLen": "max_length",
}  # fmt: skip
_CALLED = {"conint": "ints", "confloat": "floats", "constr": "strings", "conlist": "lists"}


@dataclass(frozen=True, slots=True)
class Refined:
    """A constraint with its metadata; ``precise`` where they bound the values."""

    constraint: Constraint
    precise: bool
    conditions: tuple[str, ...]


def refined(
    base: Constraint, items: Sequence[ast.expr], scope: ModuleScope, value_name: str
) -> Refined:
    """The constraint that metadata make of a base; what cannot be read changes nothing."""
    constraint, precise, conditions = base, False, []
    for item in items:
        condition = _condition(item, scope, value_name)
        if condition is not None:
            conditions.append(condition)
            continue
        bound = _bound(constraint, item, scope)
        met = meet(constraint, bound) if bound is not None else None
        if met is not None:
            constraint, precise = met, True
    return Refined(constraint, precise, tuple(conditions))


def called(dotted: str, node: ast.Call, scope: ModuleScope) -> Constraint | None:
    """Pydantic's ``conint(ge=1)`` and kin, where a hint is a call."""
    kind = _CALLED.get(dotted.rpartition(".")[2])
    if kind is None:
        return None
    base = build(kind)
    bound = _keywords(kind, node.keywords, scope)
    return base if bound is None else meet(base, bound)


def _bound(base: Constraint, item: ast.expr, scope: ModuleScope) -> Constraint | None:
    if isinstance(item, ast.Constant) and isinstance(item.value, str):
        return _text(base, item.value)
    if not isinstance(item, ast.Call):
        return None
    word = scope.dotted(item.func).rpartition(".")[2]
    if word in _CLASSES and item.args:
        return _keywords(base.kind, [ast.keyword(_CLASSES[word], item.args[0])], scope)
    if word == "Len" and item.args:
        names = ("min_length", "max_length")
        pairs = [ast.keyword(name, arg) for name, arg in zip(names, item.args, strict=False)]
        return _keywords(base.kind, pairs, scope)
    return _keywords(base.kind, item.keywords, scope)


def _keywords(kind: str, keywords: Sequence[ast.keyword], scope: ModuleScope) -> Constraint | None:
    """The bounds that keywords say of values of a kind; ``None`` where they say none."""
    said: dict[str, object] = {}
    for keyword in keywords:
        for name, value in _KEYWORDS.get(keyword.arg or "", {}).items():
            try:
                said[name] = scope.literal(keyword.value) if value is None else value
            except ValueError:
                return None
    if not said:
        return None
    if kind == "ints":
        lows, highs = said.pop("exclude_min", False), said.pop("exclude_max", False)
        said = {
            name: _stepped(name, value, bool(lows), bool(highs)) for name, value in said.items()
        }
    try:
        return build_if_possible(kind, **said)
    except (TypeError, ValueError):
        return None


def _stepped(name: str, value: object, above: bool, below: bool) -> object:  # noqa: FBT001
    if not isinstance(value, int):
        return value
    return value + (above and name == "min") - (below and name == "max")


def _text(base: Constraint, text: str) -> Constraint | None:
    """A string: dimensions for an array, or a constraint in aN."""
    if base.kind in ARRAYS:
        words = tuple(literal(int(word) if word.isdigit() else word) for word in text.split())
        return build_if_possible(base.kind, shape=words) if words else None
    try:
        return parse(text)
    except AnnotationError:
        return None


def _condition(item: ast.expr, scope: ModuleScope, value_name: str) -> str | None:
    """Beartype's ``Is[lambda x: x > 0]`` as a condition on the value."""
    if not (isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Lambda)):
        return None
    if scope.dotted(item.value).rpartition(".")[2] != "Is" or len(item.slice.args.args) != 1:
        return None
    name = item.slice.args.args[0].arg
    body = ast.parse(ast.unparse(item.slice.body), mode="eval").body
    return ast.unparse(_Renaming(name, value_name).visit(body))


class _Renaming(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """The name, changed where it is the one."""
        return ast.Name(self._new, node.ctx) if node.id == self._old else node
