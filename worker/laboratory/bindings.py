"""What a file's text binds at its top level, and where it comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath

_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)
_MADE = (ast.Call, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Bindings:
    """The names that a text binds.

    ``functions``, ``classes`` and ``made`` (by a call: a named tuple) are its
    own, ``values`` what else it assigns.  ``modules`` are the dotted names of
    modules by the names that they are imported under, ``taken`` the module and
    the name there of what is imported from one.  A name that is bound in two
    ways is in both.  ``stars`` are modules of which everything is imported.
    """

    functions: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    taken: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    stars: tuple[str, ...] = ()

    @property
    def all(self) -> frozenset[str]:
        """Every name that is bound."""
        own = self.functions | self.classes | self.made | self.values
        return own | self.modules.keys() | self.taken.keys()


class Project:
    """The bindings of a project's files; ``texts`` are those by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._paths = dict(_modules(texts))

    def of(self, path: str) -> Bindings:
        """Those of a file; none where it cannot be read."""
        return bindings(self._texts.get(path, ""), path)

    def path(self, module: str) -> str | None:
        """The file of a module of the project; ``None`` for other modules."""
        return self._paths.get(module)


@lru_cache(maxsize=256)
def bindings(source: str, path: str) -> Bindings:
    """What the text of the file ``path`` binds."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Bindings()
    own: dict[str, set[str]] = {kind: set() for kind in ("functions", "classes", "made", "values")}
    modules: dict[str, str] = {}
    taken: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    for statement in _statements(body):
        match statement:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                stars.append(_absolute(statement, path))
            case ast.ImportFrom():
                module = _absolute(statement, path)
                taken |= {each.asname or each.name: (module, each.name) for each in statement.names}
            case ast.Import():
                modules |= dict(map(_imported, statement.names))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                own["functions"].add(statement.name)
            case ast.ClassDef():
                own["classes"].add(statement.name)
            case _:
                value = getattr(statement, "value", None)
                own["made" if isinstance(value, _MADE) else "values"].update(_assigned(statement))
    return Bindings(
        **{kind: frozenset(names) for kind, names in own.items()},
        modules=modules,
        taken=taken,
        stars=tuple(stars),
    )


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
    if isinstance(getattr(statement, "value", None), ast.Attribute | ast.Name):
        return
    for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
        if isinstance(target, ast.Name):
            yield target.id


def _imported(alias: ast.alias) -> tuple[str, str]:
    """The name that ``import`` binds, and the module that it is."""
    first = alias.name.partition(".")[0]
    return (alias.asname, alias.name) if alias.asname else (first, first)


def _absolute(statement: ast.ImportFrom, path: str) -> str:
    if not statement.level:
        return statement.module or ""
    folder = PurePosixPath(path).parts[: -statement.level]
    return ".".join((*folder, *filter(None, [statement.module])))


def _modules(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The dotted names by which files can be imported, from any folder of theirs."""
    found: list[tuple[int, str, str]] = []
    for text in texts:
        path = PurePosixPath(text)
        parts = path.with_suffix("").parts
        parts = parts[:-1] if path.stem == "__init__" else parts
        found += ((start, ".".join(parts[start:]), text) for start in range(len(parts)))
    for _, module, text in sorted(found, reverse=True):
        yield module, text
