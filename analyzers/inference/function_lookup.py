"""Functions of a project by name; methods also where their class inherits them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.inference.constraint_sources.module_scope import ModuleScope, dotted_name
from analyzers.inference.facts import FunctionContext, parse_module

_MOST_STEPS = 6


def find_function(path: str, function: str, sources: Mapping[str, str]) -> FunctionContext | None:
    """The function of a qualified name in the file at ``path``.

    ``None`` where the file is not there or is no Python, or has no such
    function.  Of several definitions under one name (branches of an ``if``,
    overloads) it is the last in the file, which is what a call meets.  A method that its class
    inherits is the one of the nearest base class in the project.
    """
    return _found(path, function, sources, _MOST_STEPS)


def _found(
    path: str, function: str, sources: Mapping[str, str], steps: int
) -> FunctionContext | None:
    tree = parse_module(sources.get(path, ""))
    if tree is None:
        return None
    named = [node for name, node in definitions(tree) if name == function]
    if named:
        node = max(named, key=lambda each: each.lineno)
        return FunctionContext(path, function, node, tree, owner_class(node, tree), sources)
    name, _, method = function.rpartition(".")
    owner = _class(tree, name) if name and steps else None
    for base in owner.bases if owner is not None else ():
        meant = ModuleScope(path, tree, sources).definition(dotted_name(base))
        if meant is not None and isinstance(meant[0], ast.ClassDef) and meant[0] is not owner:
            found = _found(meant[1].path, f"{meant[0].name}.{method}", sources, steps - 1)
            if found is not None:
                return replace(found, function=function, owner=owner, home=path)
    return None


def _class(tree: ast.Module, name: str) -> ast.ClassDef | None:
    found: ast.ClassDef | None = None
    body: list[ast.stmt] = tree.body
    for part in name.split("."):
        named = (each for each in body if isinstance(each, ast.ClassDef) and each.name == part)
        found = next(named, None)
        if found is None:
            return None
        body = found.body
    return found


def definition_name(subject: FunctionContext) -> str:
    """The qualified name of the definition: a base class's for a method that is inherited."""
    named = (name for name, node in definitions(subject.tree) if node is subject.node)
    return next(named, subject.function)


def sibling_method(subject: FunctionContext, function: str) -> FunctionContext | None:
    """Another method of the same class, such as ``__init__``; ``None`` without one."""
    prefix = subject.function.rpartition(".")[0]
    if subject.owner is None or not prefix:
        return None
    return find_function(subject.home or subject.path, f"{prefix}.{function}", subject.sources)


def lineage(subject: FunctionContext) -> Iterator[ast.ClassDef]:
    """Yield the class of a method and its base classes in the project, the nearest first."""
    path = subject.home or subject.path
    tree = parse_module(subject.sources.get(path, "")) or subject.tree
    waiting = [(subject.owner, ModuleScope(path, tree, subject.sources))]
    known: list[ast.ClassDef] = []
    for owner, scope in waiting:
        if owner is None or owner in known or len(known) > _MOST_STEPS:
            continue
        known.append(owner)
        yield owner
        for base in owner.bases:
            meant = scope.definition(dotted_name(base))
            if meant is not None and isinstance(meant[0], ast.ClassDef):
                waiting.append((meant[0], meant[1]))


def owner_class(node: ast.AST, tree: ast.Module) -> ast.ClassDef | None:
    """The class that has ``node`` as a method; ``None`` for a plain or nested function."""
    for each in ast.walk(tree):
        if isinstance(each, ast.ClassDef) and node in _members(each):
            return each
    return None


def _members(owner: ast.ClassDef) -> list[ast.AST]:
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(owner.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            waiting.extend(ast.iter_child_nodes(node))
    return found
