"""Attributes that a method needs of its instance and the constructor alone does not make.

``fit`` comes before ``predict``: an instance fresh from its constructor is no
valid one for a method that reads what another method sets.  Nor is one of a
base class for a method that reads what subclasses define.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from analyzers.guest.provenance.placeholders import is_placeholder
from analyzers.inference.constraint_sources.module_scope import dotted_name
from analyzers.inference.facts import FunctionContext
from analyzers.inference.function_lookup import lineage

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def attributes_set_elsewhere(subject: FunctionContext) -> frozenset[str]:
    """The attributes that a method reads and only other methods or subclasses set.

    What the constructor sets to ``None`` is not set by it.  Methods that are
    called on ``self`` count as part of the method that calls them.  Subclasses
    are those in the same file.
    """
    if subject.owner is None:
        return frozenset()
    classes = [*lineage(subject)]
    methods = {
        each.name: each
        for owner in reversed(classes)
        for each in owner.body
        if isinstance(each, _Function)
    }
    before = _with_called(_constructors(classes), methods)
    ours = _with_called([subject.node], methods)
    made = {name for owner in classes for name in _in_class(owner)}
    made |= {name for each in before for name in _stored(each)}
    made |= {name for each in ours for name in _stored(each)}
    made |= {name for name, each in methods.items() if not is_placeholder(each)}
    others = [each for each in methods.values() if each not in before and each not in ours]
    later = {name for each in others for name in _stored(each)} | _in_subclasses(subject)
    read = {name for each in ours for name in _loaded(each)}
    return frozenset((read & later) - made)


def _constructors(classes: Iterable[ast.ClassDef]) -> Iterator[_Function]:
    """Yield the constructors of classes, as one calls the next."""
    for owner in classes:
        for each in owner.body:
            if isinstance(each, _Function) and each.name in ("__init__", "__new__"):
                yield each


def _with_called(first: Iterable[_Function], methods: dict[str, _Function]) -> list[_Function]:
    found = list(first)
    for method in found:
        called = (methods[name] for name in sorted(set(_loaded(method))) if name in methods)
        found += [each for each in called if each not in found]
    return found


def _in_subclasses(subject: FunctionContext) -> set[str]:
    assert subject.owner is not None
    name, found = subject.owner.name, set[str]()
    for each in ast.walk(subject.tree):
        if isinstance(each, ast.ClassDef) and name in map(dotted_name, each.bases):
            methods = [inner for inner in each.body if isinstance(inner, _Function)]
            found |= _in_class(each) | {method.name for method in methods}
            found |= {stored for method in methods for stored in _stored(method)}
    return found


def _in_class(owner: ast.ClassDef) -> set[str]:
    targets = [
        target
        for each in owner.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and not _is_none(each.value)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    ]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _stored(method: _Function) -> Iterator[str]:
    for node in ast.walk(method):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and _is_none(node.value):
            continue
        for target in _targets(node):
            for each in ast.walk(target):
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    yield from _of_self(each)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
        return [node.target]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return []


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _loaded(method: _Function) -> Iterator[str]:
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from _of_self(node)


def _of_self(node: ast.Attribute) -> Iterator[str]:
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        yield node.attr
