"""Where a constant collection stands that a condition uses by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from analyzers.cloud.editing.source import Source
from analyzers.cloud.repairs.labelling.places import Held

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
Find = Callable[[ast.AST], Sequence[ast.Constant]]


@dataclass(frozen=True)
class Project:
    """The files in which a constant may stand: how one is read, and which there are."""

    read: Callable[[str], str]
    paths: Sequence[str] = ()

    def mentioning(self, name: str, path: str) -> Iterator[tuple[str, Source]]:
        """Yield the other files that can be parsed and have the name in them."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        for other in self.paths:
            text = self.read(other) if other != path and other.endswith(".py") else ""
            if word.search(text):
                try:
                    yield other, Source(text)
                except (SyntaxError, ValueError, RecursionError):
                    continue


@dataclass(frozen=True)
class Found:
    """A constant in one of the files."""

    path: str
    text: Source
    held: Held


def constant_of(
    project: Project, path: str, text: Source, condition: ast.AST, literals: Find
) -> Found | None:
    """Return the one constant that a condition uses and whose value has the literals."""
    for use in _uses_in(text, condition):
        name = _identifier(use)
        for where, source, scope in _scopes(project, path, text, use, name):
            bindings = [node for node in ast.walk(scope) if _is_binding(node, name)]
            if not bindings:
                continue
            value = _value(source, bindings[0]) if len(bindings) == 1 else None
            if value is not None and len(literals(value)) == 1:
                uses = _uses(project, where, source, scope, name)
                if uses is not None:
                    return Found(where, source, Held(value, (text, use), uses))
            break
    return None


def _uses_in(text: Source, condition: ast.AST) -> Iterator[ast.expr]:
    """The names and fields of a condition; for the variable of a loop, what is looped over."""
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    for node in ast.walk(condition):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node
        if isinstance(node, ast.Name):
            for loop in loops:
                if isinstance(loop.target, ast.Name) and loop.target.id == node.id:
                    yield from _names_in(loop.iter)


def _names_in(node: ast.AST) -> Iterator[ast.expr]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute):
            yield each


def _scopes(
    project: Project, path: str, text: Source, use: ast.expr, name: str
) -> Iterator[tuple[str, Source, Scope]]:
    """Where a name may be bound: its function, its file, the other files."""
    if isinstance(use, ast.Name):
        for node in text.ancestors(use):
            if isinstance(node, Function):
                yield path, text, node
    assert isinstance(text.tree, ast.Module)
    yield path, text, text.tree
    others = [
        (other, source, source.tree)
        for other, source in project.mentioning(name, path)
        if any(_is_binding(node, name) for node in ast.walk(source.tree))
    ]
    if len(others) == 1:
        yield others[0]


def _uses(
    project: Project, path: str, text: Source, scope: Scope, name: str
) -> tuple[tuple[Source, ast.AST], ...] | None:
    """Every use of a name in its scope and, of a module's, in other files."""
    inside = isinstance(scope, Function)
    texts = [text] if inside else [text, *(s for _, s in project.mentioning(name, path))]
    found: list[tuple[Source, ast.AST]] = []
    for source in texts:
        tree = scope if inside else source.tree
        if any(_renames(node, name) for node in ast.walk(tree)):
            return None
        loads = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Name | ast.Attribute)
            and _identifier(node) == name
            and isinstance(node.ctx, ast.Load)
        ]
        found += [(source, node) for node in loads]
    return tuple(found)


def _renames(node: ast.AST, name: str) -> bool:
    """Whether a name is imported under another one, or exported in a way that hides its use."""
    if isinstance(node, ast.ImportFrom):
        return any(each.name == name and each.asname not in (None, name) for each in node.names)
    return isinstance(node, ast.Global | ast.Nonlocal) and name in node.names


def _identifier(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _is_binding(node: ast.AST, name: str) -> bool:
    named = isinstance(node, ast.Name | ast.Attribute) and _identifier(node) == name
    if named and isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return True
    return isinstance(node, ast.arg) and node.arg == name


def _value(text: Source, binding: ast.AST) -> ast.expr | None:
    parent = text.parents[binding]
    if isinstance(parent, ast.Assign) and parent.targets == [binding]:
        return parent.value
    return parent.value if isinstance(parent, ast.AnnAssign) else None
