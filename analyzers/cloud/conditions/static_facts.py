"""Facts that comparisons of one expression with constants imply together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

_TEXT_METHODS = frozenset({"lower", "upper", "casefold", "strip", "title"})
_TEXT_FIELDS = frozenset({"description", "text", "transcript"})
_COLLECTIONS = (ast.List, ast.Tuple, ast.Set)


@dataclass(frozen=True, slots=True)
class StaticNames:
    """The values that names of a file stand for.

    ``texts`` are names that always hold a text, ``values`` names that are
    bound once, in the module itself, to a constant or a collection of them
    that nothing changes.
    """

    texts: frozenset[str] = frozenset()
    values: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    def resolved(self, node: ast.expr) -> ast.expr:
        """Return what a name stands for; any other expression as it is."""
        return self.values.get(node.id, node) if isinstance(node, ast.Name) else node


NOTHING = StaticNames()
"""Where nothing is known of any name."""


@lru_cache(maxsize=64)
def names_of(tree: ast.Module) -> StaticNames:
    """Return what is certain of the names of a file."""
    return StaticNames(_texts(tree), dict(_values(tree)))


def is_steady(node: ast.expr) -> bool:
    """Return whether an expression means the same thing twice in one condition."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return is_steady(value)
        case ast.Subscript(value=value, slice=ast.Constant() | ast.Name()):
            return is_steady(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in _TEXT_METHODS and is_steady(value)
        case _:
            return False


def is_text(node: ast.expr, texts: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression is evidently one text, not a collection of them."""
    match node:
        case ast.Name(id=name):
            return name in texts
        case ast.Attribute(attr=name):
            return name in _TEXT_FIELDS and is_steady(node)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _TEXT_METHODS and is_steady(node)
        case _:
            return False


def _texts(tree: ast.Module) -> frozenset[str]:
    """Return the names that are assigned nothing but texts, wherever they are."""
    assigned = {
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_made_text(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    others = {node.id for node in _stored(tree) if node not in assigned}
    others |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(target.id for target in assigned) - others


def _is_made_text(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[], keywords=[]):
            return is_text(node) or (name in _TEXT_METHODS and _is_made_text(inner))
        case ast.Attribute(attr=name):
            return name in _TEXT_FIELDS
        case _:
            return is_text(node)


def _values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that are bound once to constants, and what they are bound to."""
    bound = list(_bindings(tree))
    changed = set(_changed(tree))
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        if bound.count(name) == 1 and name not in changed and _is_constant(value):
            yield name, value


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id="frozenset" | "set"), args=[inner], keywords=[]):
            return isinstance(inner, _COLLECTIONS) and _is_constant(inner)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return all(map(_is_constant, elements))
        case _:
            return False


def _stored(tree: ast.AST) -> Iterable[ast.Name]:
    return (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )


def _bindings(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound anywhere, as often as it is."""
    yield from (node.id for node in _stored(tree))
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) | ast.alias(asname=str() as name):
                yield name
            case ast.alias(name=name):
                yield name.partition(".")[0]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str() as name):
                yield name
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                yield from several
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name
            case _:
                pass


def _changed(tree: ast.AST) -> Iterator[str]:
    """Yield names of which a method is called, or an element or attribute set."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                yield name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case _:
                pass


_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "contains",
    ast.NotIn: "lacks",
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "contains": "lacks",
    "lacks": "contains",
    "among": "outside",
    "outside": "among",
}
Value = str | float


@dataclass(frozen=True, slots=True)
class Fact:
    """``subject operator value``.

    ``contains`` and ``lacks`` are of a text, ``among`` and ``outside`` of the
    constants ``several``.
    """

    subject: str
    operator: str
    value: Value
    several: frozenset[Value] = frozenset()

    def negated(self) -> Fact:
        """Return what holds when this does not."""
        return replace(self, operator=_NEGATED[self.operator])


def facts(node: ast.expr, names: StaticNames = NOTHING) -> tuple[Fact, ...] | None:
    """Return the facts that a comparison states together.

    ``names``: what is known of the names in it.  ``None`` when it says
    anything else: then nothing may be concluded from its being false.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = facts(node.operand, names)
        return (inner[0].negated(),) if inner is not None and len(inner) == 1 else None
    if not isinstance(node, ast.Compare):
        return None
    operands = [node.left, *node.comparators]
    stated = [
        _fact(left, type(operator), right, names)
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False)
    ]
    known = tuple(fact for fact in stated if fact is not None)
    return known if len(known) == len(stated) else None


def contradict(known: Iterable[Fact]) -> bool:
    """Return whether facts cannot hold together, whatever their subjects are."""
    by_subject: dict[str, list[Fact]] = {}
    for fact in known:
        by_subject.setdefault(fact.subject, []).append(fact)
    return any(_clash(group) for group in by_subject.values())


def misses_case(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    """Return whether a literal is sought in a text that was brought to the other case."""
    sides = [(left, right)]
    if isinstance(operator, ast.Eq):
        sides.append((right, left))
    elif not isinstance(operator, ast.In):
        return False
    return any(
        isinstance(literal, ast.Constant)
        and isinstance(literal.value, str)
        and isinstance(text, ast.Call)
        and isinstance(text.func, ast.Attribute)
        and text.func.attr in ("lower", "upper")
        and not text.args
        and getattr(literal.value, text.func.attr)() != literal.value
        for literal, text in sides
    )


def constant(node: ast.expr, names: StaticNames = NOTHING) -> Value | None:
    """Return the text or number that an expression is; ``None`` if neither."""
    match names.resolved(node):
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
        case _:
            return None


def constants(node: ast.expr, names: StaticNames = NOTHING) -> frozenset[Value] | None:
    """Return the texts and numbers that a collection holds; ``None`` if it is no such."""
    match names.resolved(node):
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            found = [constant(element, names) for element in elements]
        case ast.Call(func=ast.Name(id="frozenset" | "set"), args=[inner], keywords=[]):
            return constants(inner, names)
        case _:
            return None
    known = frozenset(value for value in found if value is not None)
    return known if found and None not in found else None


def _fact(
    left: ast.expr, operator: type[ast.cmpop], right: ast.expr, names: StaticNames
) -> Fact | None:
    name = _OPERATORS.get(operator)
    if name is None:
        return None
    if name in ("contains", "lacks"):
        return _of_membership(left, name, right, names)
    value, subject = constant(right, names), left
    if value is None:
        value, subject, name = constant(left, names), right, _FLIPPED[name]
    if value is None or not is_steady(subject):
        return None
    return Fact(ast.unparse(subject), name, value)


def _of_membership(left: ast.expr, name: str, right: ast.expr, names: StaticNames) -> Fact | None:
    value, several = constant(left, names), constants(right, names)
    if several is not None and is_steady(left):
        return Fact(ast.unparse(left), "among" if name == "contains" else "outside", "", several)
    if isinstance(value, str) and value and is_text(right, names.texts):
        return Fact(ast.unparse(right), name, value)
    return None


def _clash(group: list[Fact]) -> bool:
    pairs = ((one, other) for one in group for other in group)
    return any(_excludes(one, other) for one, other in pairs)


def _excludes(one: Fact, other: Fact) -> bool:
    """Return whether ``one`` makes ``other`` impossible."""
    if one.operator == "among":
        return all(_excludes(Fact(one.subject, "==", value), other) for value in one.several)
    if other.operator not in ("among", "outside") and _kind(one.value) != _kind(other.value):
        return False
    if one.operator == "==":
        return not _holds(one.value, other)
    if one.operator == "contains" and isinstance(one.value, str):
        return other.operator == "lacks" and str(other.value) in one.value
    return _bounds_clash(one, other)


def _kind(value: Value) -> bool:
    return isinstance(value, str)


def _holds(value: Value, fact: Fact) -> bool:
    """Return whether ``fact`` is true of a subject that equals ``value``."""
    if fact.operator in ("among", "outside"):
        return (value in fact.several) is (fact.operator == "among")
    if isinstance(value, str) and isinstance(fact.value, str):
        order = (value > fact.value) - (value < fact.value)
        contained = fact.value in value
    else:
        order = (float(value) > float(fact.value)) - (float(value) < float(fact.value))
        contained = False
    outcomes: dict[str, bool] = dict(_by_order(order))
    return {**outcomes, "contains": contained, "lacks": not contained}[fact.operator]


def _by_order(order: int) -> Iterator[tuple[str, bool]]:
    yield "==", order == 0
    yield "!=", order != 0
    yield "<", order < 0
    yield "<=", order <= 0
    yield ">", order > 0
    yield ">=", order >= 0


def _bounds_clash(one: Fact, other: Fact) -> bool:
    """Return whether a lower bound lies above an upper one."""
    if not (one.operator in (">", ">=") and other.operator in ("<", "<=")):
        return False
    if isinstance(one.value, str) or isinstance(other.value, str):
        return False
    strict = one.operator == ">" or other.operator == "<"
    return one.value >= other.value if strict else one.value > other.value
