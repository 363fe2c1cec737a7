"""One parsed file: its functions and classes, and what binds its names.

A function inside another belongs to the outermost one around it.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from analyzers.detection.modules import MAIN, MODULE

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef
LOCALS = ".<locals>."
_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


@dataclass(eq=False, slots=True)
class Unit:
    """An outermost function, a method, or the code of a file outside functions.

    ``owner`` is the qualified name of the class whose method it is.
    """

    path: str
    name: str
    body: Sequence[ast.stmt]
    node: Definition | None = None
    owner: str | None = None

    @property
    def id(self) -> str:
        """``path::Qualified.name``."""
        return f"{self.path}::{self.name}"

    @property
    def decorators(self) -> frozenset[str]:
        """The last names of the decorators."""
        found = self.node.decorator_list if self.node else ()
        return frozenset(_last(each) for each in found)


@dataclass(eq=False, slots=True)
class Class:
    """A class outside functions, with its methods by name."""

    id: str
    node: ast.ClassDef
    methods: dict[str, Unit] = field(default_factory=dict[str, Unit])


@dataclass(eq=False, slots=True)
class Parsed:
    """A file: ``units`` and ``classes`` by qualified name."""

    path: str
    tree: ast.Module
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    classes: dict[str, Class] = field(default_factory=dict[str, Class])

    @classmethod
    def of(cls, path: str, source: str) -> Parsed | None:
        """The file; ``None`` where Python 3 cannot parse it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = cls(path, ast.parse(source.removeprefix("\ufeff")))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        found._collect()
        return found

    def _collect(self) -> None:
        main: list[ast.stmt] = []
        outside: list[ast.stmt] = []
        for node in self.tree.body:
            if isinstance(node, ast.If) and ast.unparse(node.test) in _GUARDS:
                main += node.body
                outside += node.orelse
            else:
                outside.append(node)
        self._add(Unit(self.path, MODULE, outside))
        if main:
            self._add(Unit(self.path, MAIN, main))
        self._enter((*outside, *main), "", None)

    def _add(self, unit: Unit) -> None:
        self.units[unit.name] = unit

    def _enter(self, body: Iterable[ast.stmt], prefix: str, owner: Class | None) -> None:
        for node in definitions(body):
            name = prefix + node.name
            if isinstance(node, ast.ClassDef):
                known = self.classes[name] = Class(f"{self.path}::{name}", node)
                self._enter(node.body, f"{name}.", known)
                continue
            unit = Unit(self.path, name, node.body, node, prefix[:-1] or None)
            self._add(unit)
            if owner is not None:
                owner.methods[node.name] = unit


def definitions(body: Iterable[ast.stmt]) -> Iterator[Definition | ast.ClassDef]:
    """The functions and classes of a body, not inside one another."""
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node
        else:
            yield from definitions(inner(node))


def inner(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly inside a compound statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from inner(child)


def parameters(node: Definition | ast.Lambda) -> list[ast.arg]:
    """All parameters, starred ones too."""
    args = node.args
    starred = [each for each in (args.vararg, args.kwarg) if each is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def outermost(name: str) -> str:
    """The function to test for a function inside others."""
    return name.partition(LOCALS)[0]


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
