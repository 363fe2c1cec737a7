"""The values that a function's branches and tables know of a parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Constraint
from analyzers.inference import hints
from analyzers.inference.building import chosen, either, make
from analyzers.inference.nouns import Confidence, Inferred, Source, Subject
from analyzers.inference.scope import scope_of, spelled


def choices(subject: Subject) -> Iterator[Inferred]:
    """Words that a parameter is compared with or looked up by, and types it is asked for."""
    for arg in subject.parameters:
        where = f"{subject.path}:{arg.lineno}"
        keys = _keys(subject, arg.arg)
        if keys:
            yield Inferred(arg.arg, chosen(keys), Source.GUARD, Confidence.LIKELY, where)
            continue
        words = _compared(subject, arg.arg)
        if words:
            sure = Confidence.LIKELY if len(words) > 1 else Confidence.GUESS
            yield Inferred(arg.arg, chosen(words), Source.GUARD, sure, where)
        types = _types(subject, arg.arg)
        if types is not None:
            yield Inferred(arg.arg, types, Source.GUARD, Confidence.GUESS, where)


def _nodes(subject: Subject) -> Iterator[ast.AST]:
    for statement in subject.node.body:
        yield from ast.walk(statement)


def _names(node: ast.AST, parameter: str) -> bool:
    """Whether a node is the parameter, in whatever case."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("lower", "strip") and _names(node.func.value, parameter)
    return isinstance(node, ast.Name) and node.id == parameter


def _compared(subject: Subject, parameter: str) -> list[str]:
    """The strings that a parameter is compared with for equality or membership."""
    scope = scope_of(subject)
    found: list[str] = []
    for node in _nodes(subject):
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
            continue
        if not _names(node.left, parameter) or not isinstance(
            node.ops[0], (ast.Eq, ast.In, ast.NotIn, ast.NotEq)
        ):
            continue
        try:
            value = scope.literal(node.comparators[0])
        except ValueError:
            continue
        if isinstance(value, str) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [each for each in value if isinstance(each, str)]
    return list(dict.fromkeys(found))


def _keys(subject: Subject, parameter: str) -> list[object]:
    """The keys of a dictionary of constants or of the function that a parameter looks up."""
    for node in _nodes(subject):
        if isinstance(node, ast.Subscript) and _names(node.slice, parameter):
            found = _table(subject, node.value)
            if found:
                return found
    return []


def _table(subject: Subject, node: ast.expr) -> list[object]:
    if isinstance(node, ast.Name):
        assigned = [
            each.value
            for each in _nodes(subject)
            if isinstance(each, ast.Assign) and any(spelled(t) == node.id for t in each.targets)
        ]
        node = assigned[0] if len(assigned) == 1 else node
    try:
        value = scope_of(subject).literal(node)
    except ValueError:
        return []
    return list(value) if isinstance(value, dict) else []


def _types(subject: Subject, parameter: str) -> Constraint | None:
    """The types that ``isinstance`` asks for; an integer made a pair may be a pair before."""
    found: list[Constraint] = []
    for node in _nodes(subject):
        if not isinstance(node, ast.If):
            continue
        asked = _asked(node.test, parameter)
        known = hints.read(subject, asked) if asked is not None else None
        if known is None:
            continue
        found.append(known)
        pair = _repeated(node.body, parameter)
        if pair is not None:
            found.append(make("tuples", elements=(known,) * pair))
    return either(found) if found else None


def _asked(test: ast.expr, parameter: str) -> ast.expr | None:
    if isinstance(test, ast.Call) and spelled(test.func) == "isinstance" and len(test.args) == 2:
        return test.args[1] if _names(test.args[0], parameter) else None
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Call):
        called = spelled(test.left.func) == "type" and isinstance(test.ops[0], (ast.Is, ast.Eq))
        ours = bool(test.left.args) and _names(test.left.args[0], parameter)
        return test.comparators[0] if called and ours else None
    return None


def _repeated(body: list[ast.stmt], parameter: str) -> int | None:
    """How long the tuple is that a branch makes of a single value: ``k = (k, k)``."""
    first = body[0]
    if not (isinstance(first, ast.Assign) and spelled(first.targets[0]) == parameter):
        return None
    value = first.value
    if isinstance(value, ast.Tuple) and all(_names(each, parameter) for each in value.elts):
        return len(value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        times = value.right.value if isinstance(value.right, ast.Constant) else None
        return times if isinstance(times, int) and isinstance(value.left, ast.Tuple) else None
    return None
