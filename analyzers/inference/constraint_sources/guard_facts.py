"""Constraints from refusals: asserts, raises, and the values that branches know."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from analyzers.guest.annotations.constraints import Constraint
from analyzers.inference.constraint_sources import parameter_uses, type_hints
from analyzers.inference.constraint_sources.module_scope import dotted_name, scope_of
from analyzers.inference.constraints.constraint_builders import (
    as_constraint,
    build,
    one_of,
    options_of,
    union_of,
)
from analyzers.inference.constraints.dimensions import dims_of, is_variadic
from analyzers.inference.constraints.intervals import NUMBERS, is_bound_alone, is_length
from analyzers.inference.constraints.lattice import ARRAYS
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
    body_nodes,
)

from .guard_clauses import GuardClause, GuardClauses, names_in
from .guard_literals import GuardLiterals


def known_choices(subject: FunctionContext) -> Iterator[InferredConstraint]:
    """Words that a parameter is compared with or looked up by, and types it is asked for."""
    for arg in subject.parameters:
        where = f"{subject.path}:{arg.lineno}"
        keys = _keys(subject, arg.arg)
        if keys:
            yield InferredConstraint(
                arg.arg, one_of(keys), ConstraintSource.GUARD, Confidence.LIKELY, where
            )
            continue
        words = _compared(subject, arg.arg)
        if words:
            sure = Confidence.LIKELY if len(words) > 1 else Confidence.GUESS
            yield InferredConstraint(arg.arg, one_of(words), ConstraintSource.GUARD, sure, where)
        found: list[Constraint] = []
        for node in body_nodes(subject.node):
            if not isinstance(node, ast.If):
                continue
            asked = _asked(node.test, arg.arg)
            known = type_hints.read_hint(subject, asked) if asked is not None else None
            if known is None:
                continue
            found.append(known)
            pair = _repeated(node.body, arg.arg)
            if pair is not None:
                found.append(build("tuples", elements=(known,) * pair))
        types = union_of(found) if found else None
        if types is not None:
            yield InferredConstraint(
                arg.arg, types, ConstraintSource.GUARD, Confidence.GUESS, where
            )


def asserted_shapes(subject: FunctionContext) -> frozenset[str]:
    """Return the arrays that the function refuses where they have another shape."""
    return frozenset(
        each.parameter
        for each in facts(subject)
        if isinstance(each, InferredConstraint) and each.constraint["shape"] is not None
    )


def _names(node: ast.AST, parameter: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("lower", "strip") and _names(node.func.value, parameter)
    return isinstance(node, ast.Name) and node.id == parameter


def _compared(subject: FunctionContext, parameter: str) -> list[str]:
    scope = scope_of(subject)
    found: list[str] = []
    for node in body_nodes(subject.node):
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
            continue
        if not _names(node.left, parameter) or not isinstance(
            node.ops[0], (ast.Eq, ast.In, ast.NotIn, ast.NotEq)
        ):
            continue
        value = scope.literal_or_none(node.comparators[0])
        if isinstance(value, str) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [each for each in value if isinstance(each, str)]
    return list(dict.fromkeys(found))


def _keys(subject: FunctionContext, parameter: str) -> list[object]:
    for node in body_nodes(subject.node):
        if isinstance(node, ast.Subscript) and _names(node.slice, parameter):
            found = _table(subject, node.value)
            if found:
                return found
    return []


def _table(subject: FunctionContext, node: ast.expr) -> list[object]:
    if isinstance(node, ast.Name):
        assigned = [
            each.value
            for each in body_nodes(subject.node)
            if isinstance(each, ast.Assign) and any(dotted_name(t) == node.id for t in each.targets)
        ]
        node = assigned[0] if len(assigned) == 1 else node
    value = scope_of(subject).literal_or_none(node)
    return list(value) if isinstance(value, dict) else []


def _asked(test: ast.expr, parameter: str) -> ast.expr | None:
    if (
        isinstance(test, ast.Call)
        and dotted_name(test.func) == "isinstance"
        and len(test.args) == 2
    ):
        return test.args[1] if _names(test.args[0], parameter) else None
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Call):
        called = dotted_name(test.left.func) == "type" and isinstance(test.ops[0], (ast.Is, ast.Eq))
        ours = bool(test.left.args) and _names(test.left.args[0], parameter)
        return test.comparators[0] if called and ours else None
    return None


def _repeated(body: list[ast.stmt], parameter: str) -> int | None:
    first = body[0]
    if not (isinstance(first, ast.Assign) and dotted_name(first.targets[0]) == parameter):
        return None
    value = first.value
    if isinstance(value, ast.Tuple) and all(_names(each, parameter) for each in value.elts):
        return len(value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        times = value.right.value if isinstance(value.right, ast.Constant) else None
        return times if isinstance(times, int) and isinstance(value.left, ast.Tuple) else None
    return None


_BUILTINS = frozenset(dir(builtins))


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """A constraint for each refusal over one parameter, a condition for one over several.

    Bounds, choices and types that a refusal leaves are ``STRONG``; a bound on
    numbers says nothing of their type and is of integers and floats alike.
    Arrays of which a side is not said, and choices that only branches show,
    are ``LIKELY``.
    """
    reading = GuardClauses(scope_of(subject), frozenset(arg.arg for arg in subject.parameters))
    literals = GuardLiterals(subject)
    for clause in reading.of(subject.node.body):
        where = f"{subject.path}:{clause.line}"
        said = [literals.said(option) for option in clause.options]
        known = [each for each in said if each is not None]
        alone = len(known) == 1 or not any(is_length(constraint) for _, constraint in known)
        if alone and len(known) == len(said) and len({name for name, _ in known}) == 1:
            name = known[0][0]
            constraint = union_of(each for _, each in known)
            yield InferredConstraint(
                name, constraint, ConstraintSource.GUARD, _sure(constraint), where
            )
            yield from _fractions(name, constraint, where)
        elif _can_be_asked(clause, subject):
            texts = [
                f"({ast.unparse(ast.fix_missing_locations(each))})"
                if isinstance(each, (ast.BoolOp, ast.IfExp, ast.Lambda))
                else ast.unparse(ast.fix_missing_locations(each))
                for each in clause.options
            ]
            condition = " or ".join(texts)
            yield InferredRequirement(condition, ConstraintSource.GUARD, Confidence.STRONG, where)
    for owner, names, line in reading.unpacked:
        yield from _unpacked(owner, names, line, subject)
    yield from known_choices(subject)


def _sure(constraint: Constraint) -> Confidence:
    if constraint.kind == "anys" and not is_bound_alone(constraint):
        parts = [as_constraint(part) for part in options_of(constraint)]
        return min(_sure(part) for part in parts)
    if constraint.kind in NUMBERS and not constraint.arguments:
        return Confidence.LIKELY
    if constraint.kind in ARRAYS:
        dims = dims_of(constraint["shape"])
        whole = dims is not None and not any(
            getattr(dim, "value", None) == "_" or is_variadic(dim) for dim in dims
        )
        return Confidence.STRONG if whole else Confidence.LIKELY
    plain = constraint.kind in ("strings", "lists", "dicts", "callables", "modules")
    return Confidence.LIKELY if plain and not constraint.arguments else Confidence.STRONG


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
            yield InferredConstraint(
                name, build("floats"), ConstraintSource.GUARD, Confidence.GUESS, where
            )


def _can_be_asked(clause: GuardClause, subject: FunctionContext) -> bool:
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


def _unpacked(
    owner: ast.expr, names: list[str], line: int, subject: FunctionContext
) -> Iterator[Fact]:
    """``b, c, h, w = x.shape`` says how many dimensions there are, and what they are called.

    In a method that is a ``GUESS``: layers made elsewhere want certain sizes.
    """
    if not (isinstance(owner, ast.Name) and owner.id in {arg.arg for arg in subject.parameters}):
        return
    kind = parameter_uses.array_kind(subject, owner.id)
    if kind is None:
        return
    shape = tuple("_" if name.startswith("_") else name.lower() for name in names)
    constraint = build(kind, shape=shape)
    where = f"{subject.path}:{line or subject.node.lineno}"
    sure = Confidence.LIKELY if subject.owner is None else Confidence.GUESS
    yield InferredConstraint(owner.id, constraint, ConstraintSource.GUARD, sure, where)
