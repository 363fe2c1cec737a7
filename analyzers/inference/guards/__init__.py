"""What a function refuses: asserts, raises, and the values that its branches know."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Constraint
from analyzers.inference import uses
from analyzers.inference.building import as_constraint, either, make, options_of
from analyzers.inference.dimensions import dims_of, is_variadic
from analyzers.inference.intervals import NUMBERS, is_bound_alone, is_length
from analyzers.inference.lattice import ARRAYS
from analyzers.inference.nouns import (
    Confidence,
    Fact,
    Inferred,
    Required,
    Source,
    Subject,
)
from analyzers.inference.scope import scope_of

from .choices import choices
from .clauses import Clause, Clauses, names_in
from .literals import Literals

_BUILTINS = frozenset(dir(builtins))


def facts(subject: Subject) -> Iterator[Fact]:
    """A constraint for each refusal over one parameter, a condition for one over several.

    Bounds, choices and types that a refusal leaves are ``STRONG``; a bound on
    numbers says nothing of their type and is of integers and floats alike.
    Arrays of which a side is not said, and choices that only branches show,
    are ``LIKELY``.
    """
    reading = Clauses(scope_of(subject), frozenset(arg.arg for arg in subject.parameters))
    literals = Literals(subject)
    for clause in reading.of(subject.node.body):
        yield from _facts(clause, literals, subject)
    for owner, names, line in reading.unpacked:
        yield from _unpacked(owner, names, line, subject)
    yield from choices(subject)


def _facts(clause: Clause, literals: Literals, subject: Subject) -> Iterator[Fact]:
    where = f"{subject.path}:{clause.line}"
    said = [literals.said(option) for option in clause.options]
    known = [each for each in said if each is not None]
    if _is_of_one(known) and len(known) == len(said):
        name = known[0][0]
        constraint = either(each for _, each in known)
        yield Inferred(name, constraint, Source.GUARD, _sure(constraint), where)
        yield from _fractions(name, constraint, where)
    elif _can_be_asked(clause, subject):
        condition = " or ".join(_text(option) for option in clause.options)
        yield Required(condition, Source.GUARD, Confidence.STRONG, where)


def _is_of_one(known: list[tuple[str, Constraint]]) -> bool:
    """Whether all is said of one parameter; a length or a type can only be asked for together."""
    lengths = any(is_length(constraint) for _, constraint in known)
    return len({name for name, _ in known}) == 1 and not (lengths and len(known) > 1)


def _sure(constraint: Constraint) -> Confidence:
    """How sure values are that pass: a type alone, or an array in part, is not all there is."""
    if constraint.kind == "anys" and not is_bound_alone(constraint):
        parts = [as_constraint(part) for part in options_of(constraint)]
        return min(_sure(part) for part in parts)
    if constraint.kind in NUMBERS and not constraint.arguments:
        return Confidence.LIKELY
    if constraint.kind in ARRAYS:
        dims = dims_of(constraint["shape"])
        whole = dims is not None and not any(_is_open(dim) for dim in dims)
        return Confidence.STRONG if whole else Confidence.LIKELY
    plain = constraint.kind in ("strings", "lists", "dicts", "callables", "modules")
    return Confidence.LIKELY if plain and not constraint.arguments else Confidence.STRONG


def _is_open(dim: object) -> bool:
    text = getattr(dim, "value", None)
    return text == "_" or is_variadic(dim)  # type: ignore[arg-type]


def _fractions(name: str, constraint: Constraint, where: str) -> Iterator[Fact]:
    """A number that is at most 1, or compared with a fraction, is likely a float."""
    parts = constraint["options"] if constraint.kind == "anys" else ()
    floats = (
        [p for p in parts if isinstance(p, Constraint) and p.kind == "floats"]
        if isinstance(parts, tuple)
        else []
    )
    for each in floats:
        ends = [end for end in (each.value("min"), each.value("max")) if end is not None]
        if any(isinstance(end, float) for end in ends) or each.value("max") == 1:
            yield Inferred(name, make("floats"), Source.GUARD, Confidence.GUESS, where)


def _text(node: ast.expr) -> str:
    text = ast.unparse(ast.fix_missing_locations(node))
    return f"({text})" if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Lambda)) else text


def _can_be_asked(clause: Clause, subject: Subject) -> bool:
    """Whether a condition is over arguments, and else only over what the file knows."""
    names = {name for option in clause.options for name in names_in(option)}
    ours = {arg.arg for arg in subject.parameters}
    scope = scope_of(subject)
    inner = {
        node.id
        for option in clause.options
        for node in ast.walk(option)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    own = (
        {"self"}
        if subject.owner is not None and not subject.function.endswith("__init__")
        else set()
    )
    known = all(
        name in _BUILTINS or name in ours | inner | own or scope.binds(name) for name in names
    )
    return known and bool(names & ours)


def _unpacked(owner: ast.expr, names: list[str], line: int, subject: Subject) -> Iterator[Fact]:
    """``b, c, h, w = x.shape`` says how many dimensions there are, and what they are called.

    In a method that is a ``GUESS``: layers made elsewhere want certain sizes.
    """
    if not (isinstance(owner, ast.Name) and owner.id in {arg.arg for arg in subject.parameters}):
        return
    kind = uses.array_kind(subject, owner.id)
    if kind is None:
        return
    shape = tuple("_" if name.startswith("_") else name.lower() for name in names)
    constraint = make(kind, shape=shape)
    where = f"{subject.path}:{line or subject.node.lineno}"
    sure = Confidence.LIKELY if subject.owner is None else Confidence.GUESS
    yield Inferred(owner.id, constraint, Source.GUARD, sure, where)
