"""Constraints from a default value: its type, and values near it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from analyzers.guest.annotations.constraints import Constraint, Expression

from ..constraints.constraint_builders import build, one_of, sequence
from ..facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    all_known,
)
from ..shape_interpreter.project_modules import defaults_of
from .module_scope import ModuleScope, scope_of

_SPREAD = 10


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """One fact for each default: values near one that is a literal or a constant, else itself.

    A flag is ``LIKELY`` to take both values; for the rest the type is right
    and how far from the default values are valid is a ``GUESS``.
    """
    scope = scope_of(subject)
    for arg, default in defaults(subject):
        found = near(default, scope) or build(
            "froms", values=Expression(f"[{ast.unparse(default)}]")
        )
        sure = Confidence.LIKELY if found.kind == "bools" else Confidence.GUESS
        yield InferredConstraint(
            arg.arg, found, ConstraintSource.DEFAULT, sure, f"{subject.path}:{arg.lineno}"
        )


def defaults(subject: FunctionContext) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, with it."""
    given = defaults_of(subject.node.args)
    return [(arg, given[arg.arg]) for arg in subject.parameters if arg.arg in given]


def near(default: ast.expr, scope: ModuleScope) -> Constraint | None:
    """Values like a default: its sign and magnitude kept; ``None`` where it cannot be read."""
    try:
        value = scope.literal(default)
    except ValueError:
        return None
    return _near(value)


def _near(value: object) -> Constraint | None:
    if isinstance(value, bool):
        return build("bools")
    if isinstance(value, int):
        low, high = (value // 2, value * 2) if value > 1 else (min(value, 0), value + (value >= 0))
        return build("ints", min=low, max=max(high, 0))
    if isinstance(value, float):
        return _near_float(value)
    if value is None or isinstance(value, str):
        return one_of([value])
    if isinstance(value, (list, tuple)) and value:
        return _near_sequence(value)
    return None


def _near_float(value: float) -> Constraint | None:
    if not math.isfinite(value):
        return None
    if value == 0:
        return build("floats", min=0.0, max=1.0)
    ends = sorted((_round(value / _SPREAD), _round(value * _SPREAD)))
    if 0 < value < 1:
        ends[1] = min(ends[1], (1 + value) / 2)
    return build("floats", min=ends[0], max=ends[1])


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _near_sequence(value: list[object] | tuple[object, ...]) -> Constraint | None:
    known = all_known(map(_near, value))
    if known is None:
        return None
    if isinstance(value, tuple):
        return build("tuples", elements=tuple(known))
    alike = all(each == known[0] for each in known)
    return sequence(known[0], len(value), len(value)) if alike else None
