"""Which names a recipe may use: those that the tested file's text binds.

A recipe ends up in a test that people run.  So it may call what the project
itself defines, and name what else its file has imported, but not call it: a
file that imports ``os`` lends nobody ``os.system``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from analyzers.guest.generation.makers import MAKERS
from analyzers.guest.generation.recipes import BadRecipe, Call, Name, Recipe, parse, parts
from analyzers.vocabulary import Argument, Explored, Made, Probe

_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


class Names:
    """The names that a file of the project binds at its top level.

    ``texts`` are the texts of the project's files by path.
    """

    def __init__(self, path: str, texts: Mapping[str, str]) -> None:
        known = frozenset(_modules(texts))
        self._own, self._others = _bound(texts.get(path, ""), known)

    def knows(self, probe: Probe) -> bool:
        """Whether the recipes of a probe use no other names."""
        return all(map(self._knows, probe.arguments.values()))

    def known(self, explored: Explored) -> Explored:
        """What was explored, without the inputs that use other names."""
        return replace(
            explored,
            failures=tuple(each for each in explored.failures if self.knows(each.probe)),
            passing=tuple(probe for probe in explored.passing if self.knows(probe)),
        )

    def _knows(self, argument: Argument) -> bool:
        if not isinstance(argument, Made):
            return True
        try:
            return all(map(self._allows, parts(parse(argument.recipe))))
        except BadRecipe:
            return False

    def _allows(self, part: Recipe) -> bool:
        if isinstance(part, Call):
            return part.function in MAKERS or _first(part.function) in self._own
        return not isinstance(part, Name) or _first(part.dotted) in self._own | self._others


def _first(dotted: str) -> str:
    return dotted.partition(".")[0]


@lru_cache(maxsize=256)
def _bound(source: str, modules: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What a text defines or imports from the project, and what it imports from elsewhere."""
    own, others = set[str](), set[str]()
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(), frozenset()
    for statement in _statements(body):
        match statement:
            case ast.ImportFrom():
                ours = statement.level > 0 or statement.module in modules
                (own if ours else others).update(_aliases(statement.names))
            case ast.Import():
                for alias in statement.names:
                    (own if alias.name in modules else others).update(_aliases([alias]))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own.add(statement.name)
            case _:
                own.update(_assigned(statement))
    return frozenset(own - others), frozenset(others)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those of its blocks too, but of no function or class."""
    for statement in body:
        yield statement
        if isinstance(statement, _BLOCKS):
            inner = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
            handlers = statement.handlers if isinstance(statement, ast.Try) else []
            yield from _statements([*inner, *(each for h in handlers for each in h.body)])


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement assigns: those of what is no alias of something imported."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Attribute | ast.Name):
        return
    for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
        if isinstance(target, ast.Name):
            yield target.id


def _aliases(names: Iterable[ast.alias]) -> Iterator[str]:
    for alias in names:
        yield alias.asname or _first(alias.name)


def _modules(texts: Iterable[str]) -> Iterator[str]:
    """The dotted names by which the project's files can be imported, from any folder of theirs."""
    for text in texts:
        path = PurePosixPath(text)
        parts = path.with_suffix("").parts
        parts = parts[:-1] if path.stem == "__init__" else parts
        yield from (".".join(parts[start:]) for start in range(len(parts)))
