"""Whether one more item in a collection lets more answers through."""

from __future__ import annotations

import ast

from analyzers.cloud.editing.source import Source
from analyzers.cloud.editing.spelling import CASES

Display = ast.Set | ast.List | ast.Tuple
Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp

PREFIXES = ("startswith", "endswith")
_MEMBERSHIP = ("intersection", "isdisjoint")
_LOOKUPS = ("get", "keys", "__contains__")
_COLLECTIONS = frozenset({"set", "frozenset", "list", "tuple", "sorted"})
_PLAIN_FUNCTIONS = _COLLECTIONS | {"str", "dict"}
_PLAIN_METHODS = frozenset(CASES) | {"strip", "lstrip", "rstrip", "keys", "values", "split"}


def gathered(text: Source, node: ast.AST) -> ast.AST:
    """Return the collection that one is a part of: ``set([…])``, ``[…] + OTHERS``."""
    parent = text.parents[node]
    while _is_collection_call(parent) or (
        isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.BitOr)
    ):
        node, parent = parent, text.parents[parent]
    return node


def widens(text: Source, node: ast.AST) -> bool:
    """Whether one more item in the collection ``node`` lets more answers through."""
    node = gathered(text, node)
    parent = text.parents[node]
    match parent:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.BinOp(op=ast.BitAnd()):
            return True
        case ast.Call(func=ast.Attribute(attr=name), args=[_]):
            return name in _MEMBERSHIP or name in PREFIXES
        case ast.Attribute(attr=name):
            return name in _MEMBERSHIP
        case ast.For() | ast.comprehension():
            return parent.iter is node and _is_asked_of_each(text, parent)
        case _:
            return False


def looks_up(text: Source, node: ast.AST) -> bool:
    """Whether one more key in the mapping ``node`` lets more answers through."""
    parent = text.parents[node]
    match parent:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is node
        case ast.Attribute(attr=name):
            return name in _LOOKUPS
        case _:
            return False


def asks_for(test: ast.expr, name: str) -> bool:
    """Whether a test is that something is, or has, what a name stands for."""
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.In | ast.Eq)
        and _names(test, name)
    )


def _is_asked_of_each(text: Source, loop: ast.For | ast.comprehension) -> bool:
    """Whether a loop asks for each item, one match being enough."""
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    if isinstance(loop, ast.For):
        tests = [each.test for each in ast.walk(loop) if isinstance(each, ast.If)]
        asked = [test for test in tests if _names(test, name)]
        return bool(asked) and all(asks_for(test, name) for test in asked)
    around = text.parents[loop]
    call = text.parents[around]
    element = around.elt if isinstance(around, Comprehension) else None
    is_any = isinstance(call, ast.Call) and ast.unparse(call.func) == "any"
    return is_any and element is not None and asks_for(element, name)


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _is_collection_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _COLLECTIONS
        and len(node.args) == 1
    )


def is_plain(node: ast.expr) -> bool:
    """Whether an expression may be evaluated twice: it only looks."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return is_plain(value)
        case ast.Subscript(value=one, slice=other) | ast.BinOp(left=one, right=other):
            return is_plain(one) and is_plain(other)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=[]):
            return name in _PLAIN_METHODS and all(map(is_plain, [value, *arguments]))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return name in _PLAIN_FUNCTIONS and all(map(is_plain, arguments))
        case _:
            return False
