"""Which attributes a changed constructor sets otherwise than before."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from analyzers.detection.deep.definitions import Class, Definition, Parsed

CONSTRUCTORS = ("__init__", "setup", "build", "__post_init__")


def altered(head: Parsed, base: Parsed | None) -> dict[str, frozenset[str]]:
    """The attributes that constructors set otherwise than on base, by id of the class."""
    before = base.classes if base is not None else {}
    found = {
        known.id: _altered(known, before[name])
        for name, known in head.classes.items()
        if name in before
    }
    return {name: attributes for name, attributes in found.items() if attributes}


def _altered(head: Class, base: Class) -> frozenset[str]:
    found: set[str] = set()
    for name in CONSTRUCTORS:
        new, old = head.methods.get(name), base.methods.get(name)
        if new and old and new.node and old.node:
            found |= _differing(new.node, old.node)
    return frozenset(found)


def _differing(new: Definition, old: Definition) -> set[str]:
    """The attributes that a statement sets that is new, or that uses what such a one binds."""
    before = {ast.dump(node) for node in old.body}
    names: set[str] = set()
    attributes: set[str] = set()
    for node in new.body:
        if ast.dump(node) not in before or names & _loaded(node):
            names |= _stored(node)
            attributes |= _set(node)
    return attributes | (_all_set(old.body) - _all_set(new.body))


def _all_set(body: Iterable[ast.stmt]) -> set[str]:
    return {name for node in body for name in _set(node)}


def _set(node: ast.AST) -> set[str]:
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }


def _stored(node: ast.AST) -> set[str]:
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _loaded(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def read(node: ast.AST) -> set[str]:
    """The attributes of ``self`` that a method reads."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }
