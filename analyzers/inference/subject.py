"""Finds the function that something is to be inferred of."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from analyzers.guest.annotations.reading import definitions

from .nouns import Subject


def subject_of(path: str, function: str, sources: Mapping[str, str]) -> Subject | None:
    """The function of a qualified name in the file at ``path``.

    ``None`` where the file is not there or is no Python, or has no such
    function.  Of several definitions under one name (branches of an ``if``,
    overloads) it is the last in the file, which is what a call meets.
    """
    tree = parsed(sources.get(path, ""))
    if tree is None:
        return None
    named = [node for name, node in definitions(tree) if name == function]
    if not named:
        return None
    node = max(named, key=lambda each: each.lineno)
    return Subject(path, function, node, tree, owner_of(node, tree), sources)


@functools.lru_cache(maxsize=512)
def parsed(source: str) -> ast.Module | None:
    """The tree of a Python source; ``None`` where it is none.  Not to be changed: it is shared."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def owner_of(node: ast.AST, tree: ast.Module) -> ast.ClassDef | None:
    """The class that has ``node`` as a method; ``None`` for a plain or nested function."""
    for each in ast.walk(tree):
        if isinstance(each, ast.ClassDef) and node in _members(each):
            return each
    return None


def _members(owner: ast.ClassDef) -> list[ast.AST]:
    """What a class body defines, in branches of it too, but not within its functions."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(owner.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def sibling(subject: Subject, function: str) -> Subject | None:
    """Another method of the same class, such as ``__init__``; ``None`` without one."""
    prefix = subject.function.rpartition(".")[0]
    if subject.owner is None or not prefix:
        return None
    return subject_of(subject.path, f"{prefix}.{function}", subject.sources)
