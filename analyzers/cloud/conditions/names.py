"""What is certain of the names and expressions of one file, wherever they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_TEXT_METHODS = frozenset({"lower", "upper", "casefold", "strip", "title"})
_TEXT_FIELDS = frozenset({"description", "text", "transcript"})
_COLLECTIONS = (ast.List, ast.Tuple, ast.Set)


@dataclass(frozen=True, slots=True)
class Names:
    """What the names of a file stand for.

    ``texts`` are names that always hold a text, ``values`` names that are
    bound once, in the module itself, to a constant or a collection of them
    that nothing changes.
    """

    texts: frozenset[str] = frozenset()
    values: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    def resolved(self, node: ast.expr) -> ast.expr:
        """Return what a name stands for; any other expression as it is."""
        return self.values.get(node.id, node) if isinstance(node, ast.Name) else node


NOTHING = Names()
"""Where nothing is known of any name."""


def names_of(tree: ast.Module) -> Names:
    """What is certain of the names of a file."""
    return Names(_texts(tree), dict(_values(tree)))


def is_steady(node: ast.expr) -> bool:
    """Whether an expression means the same thing twice in one condition."""
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
    """Whether an expression is evidently one text, not a collection of them."""
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
    """The names that are assigned nothing but texts, wherever they are."""
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
        case _:
            return is_text(node)


def _values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that are bound once to constants, and what they are bound to."""
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
    """Every name that is bound anywhere, as often as it is."""
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
    """Names of which a method is called, or an element or attribute set."""
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
