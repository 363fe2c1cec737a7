"""Writes constraints and annotations as they are read."""

from __future__ import annotations

from typing import List

from .nouns import Annotations, Argument, Constraint, Expression
from .types import KINDS


def render(constraint: Constraint) -> str:
    """A constraint as :func:`parsing.parse` reads it."""
    kind = KINDS[constraint.kind]
    parts: List[str] = []
    for name, given in constraint.arguments:
        if name == kind.several and isinstance(given, tuple):
            parts += [_argument(item) for item in given]
        elif name in kind.required and name == kind.parameters[0]:
            parts.append(_argument(given))
        else:
            parts.append(f"{name}={_argument(given)}")
    return f"{constraint.kind}({', '.join(parts)})"


def _argument(given: Argument) -> str:
    if isinstance(given, Constraint):
        return render(given)
    if isinstance(given, Expression):
        return given.source
    inside = ", ".join(_argument(item) for item in given)
    return f"({inside},)" if len(given) == 1 else f"({inside})"


def lines(annotations: Annotations) -> List[str]:
    """Annotations as comment lines, without indentation."""
    found = [f"#@arg({arg.name}): {render(arg.constraint)}" for arg in annotations.args]
    found += [f"#@require({clause.source})" for clause in annotations.requires]
    found += [f"#@ensure({clause.source})" for clause in annotations.ensures]
    if annotations.returns is not None:
        found.append(f"#@returns: {render(annotations.returns)}")
    if annotations.timeout is not None:
        found.append(f"#@timeout({annotations.timeout:g})")
    found += [f"#@cc_example({example})" for example in annotations.cc_examples]
    if annotations.generator:
        found.append("#@generator")
    if annotations.exclude:
        found.append("#@exclude")
    return found
