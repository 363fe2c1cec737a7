"""Names that a recipe may use: those that the tested file's text binds.

A recipe ends up in a test that people run.  It may call what the project defines, and name but
not call what its file imports: a file that imports ``os`` lends nobody ``os.system``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath

from analyzers.guest.inputs.makers import MAKERS
from analyzers.guest.inputs.recipes import BadRecipe, CallRecipe, NameRecipe, Recipe, parse, parts
from analyzers.vocabulary import Argument, ExplorationResult, Probe, RecipeArgument, SearchResult

_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)
_MADE = (ast.Call, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Bindings:
    """The names that a text binds; one that is bound in two ways is in both.

    ``made`` come from a call (a named tuple), ``modules`` and ``taken`` (out
    of one) from imports, ``stars`` are modules of which everything is imported.
    """

    functions: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    taken: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    stars: tuple[str, ...] = ()


class ProjectBindings:
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
    """Return what the text of the file ``path`` binds."""
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
    found: list[tuple[int, str, str]] = []
    for text in texts:
        path = PurePosixPath(text)
        parts = path.with_suffix("").parts
        parts = parts[:-1] if path.stem == "__init__" else parts
        found += ((start, ".".join(parts[start:]), text) for start in range(len(parts)))
    for _, module, text in sorted(found, reverse=True):
        yield module, text


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def imported_names(text: str, first: int, last: int, local: Collection[str]) -> frozenset[str]:
    """Return the dotted names of libraries in a range of lines, bound by one import alone."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    known = {
        name: means
        for name, means in _bindings(tree).items()
        if means and means.partition(".")[0] not in local
    }
    inside = [node for node in ast.walk(tree) if first <= getattr(node, "lineno", 0) <= last]
    chains = {means for node in inside if (means := _dotted(node, known)) is not None}
    brought = {
        means
        for node in inside
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, means in _brought(node)
        if means and means.partition(".")[0] not in local
    }
    found = chains | brought
    return frozenset(n for n in found if not any(o.startswith(f"{n}.") for o in found))


def _bindings(tree: ast.AST) -> dict[str, str]:
    """Return what names are imported as; empty for those that are bound to something else too."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, means in _brought(node):
                found[name] = means if found.get(name, means) == means else ""
        for name in _bound(node):
            found[name] = ""
    return found


def _brought(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, and what they mean; empty for relative ones."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            means = "" if node.level or alias.name == "*" else f"{node.module}.{alias.name}"
            yield alias.asname or alias.name, means
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, _FUNCTIONS):
        yield node.name


def _dotted(node: ast.AST, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, known)
        return f"{owner}.{node.attr}" if owner else None
    return None


MOST_STEPS = 8
_CALLS = "config"
_PLAIN = frozenset({"config", "coroutine", "function", "image", "path"})
"""Makers of the values that a search learns."""
_HARMLESS = frozenset(
    {
        *("abc", "argparse", "collections", "dataclasses", "datetime", "decimal", "enum"),
        *("fractions", "math", "numbers", "operator", "pathlib", "string", "types", "typing"),
    }
)


@dataclass(frozen=True, slots=True)
class NameOrigin:
    """The origin of a name: something of the project, or of a ``module`` from elsewhere."""

    beyond: int
    calls: int = -1
    module: str = ""


class RecipeNames:
    """The names that a file of the project binds at its top level; ``texts`` are by path."""

    def __init__(self, path: str, texts: Mapping[str, str]) -> None:
        self._path = path
        self._project = ProjectBindings(texts)

    def knows(self, probe: Probe) -> bool:
        """Return whether the recipes of a probe use no other names."""
        return all(map(self._knows, probe.arguments.values()))

    def known(self, explored: ExplorationResult) -> ExplorationResult:
        """Return what was explored, without the inputs that use other names."""
        return replace(
            explored,
            failures=tuple(each for each in explored.failures if self.knows(each.probe)),
            passing=tuple(probe for probe in explored.passing if self.knows(probe)),
            failing=tuple(probe for probe in explored.failing if self.knows(probe)),
        )

    def searched(self, found: SearchResult) -> SearchResult:
        """Return what a search found, without probes whose recipes are no plain values.

        Those are literals, values of a few makers and instances of the project's classes.
        """
        if found.template is None or self._is_plain(found.template):
            return replace(
                found,
                witnesses=tuple(each for each in found.witnesses if self._is_plain(each.probe)),
                crashes=tuple(each for each in found.crashes if self._is_plain(each[0])),
            )
        return SearchResult(
            None, obstacle="the arguments that the search found are no plain values"
        )

    def _is_plain(self, probe: Probe) -> bool:
        recipes = [a.recipe for a in probe.arguments.values() if isinstance(a, RecipeArgument)]
        if not self.knows(probe):
            return False
        found = [part for recipe in recipes for part in parts(parse(recipe))]
        makers = {part.function for part in found if isinstance(part, CallRecipe)} & MAKERS.keys()
        return makers <= _PLAIN and not any(isinstance(part, NameRecipe) for part in found)

    def _knows(self, argument: Argument) -> bool:
        if not isinstance(argument, RecipeArgument):
            return True
        try:
            return all(map(self._allows, parts(parse(argument.recipe))))
        except BadRecipe:
            return False

    def _allows(self, part: Recipe) -> bool:
        if isinstance(part, NameRecipe):
            return self._may_name(part.dotted)
        if not isinstance(part, CallRecipe):
            return True
        if part.function == _CALLS:
            given = [*part.arguments[:1], *(value for name, value in part.keywords if name == "of")]
            return all(
                self._may_call(each.dotted) for each in given if isinstance(each, NameRecipe)
            )
        return part.function in MAKERS or self._may_call(part.function)

    def _may_name(self, dotted: str) -> bool:
        found = self._origins(self._path, dotted.split("."))
        return bool(found) and all(_is_harmless(each.module) for each in found)

    def _may_call(self, dotted: str) -> bool:
        found = self._origins(self._path, dotted.split("."))
        own = any(each.beyond <= each.calls for each in found)
        return own and not any(each.module for each in found)

    def _origins(
        self, path: str, parts: Sequence[str], steps: int = MOST_STEPS
    ) -> list[NameOrigin]:
        if not parts or steps <= 0:
            return []
        name, *rest = parts
        bound = self._project.of(path)
        found = list(_own(bound, name, len(rest)))
        if name in bound.modules:
            found += self._of_module(bound.modules[name], rest, steps - 1)
        if name in bound.taken:
            found += self._of_taken(*bound.taken[name], rest, steps - 1)
        if not found:
            ours = filter(None, map(self._project.path, bound.stars))
            found = [each for star in ours for each in self._origins(star, parts, steps - 1)]
        return found

    def _of_module(self, module: str, rest: Sequence[str], steps: int) -> list[NameOrigin]:
        for count in range(len(rest), -1, -1):
            path = self._project.path(".".join([module, *rest[:count]]))
            if path is not None:
                behind = rest[count:]
                return self._origins(path, behind, steps) if behind else [NameOrigin(0)]
        return [NameOrigin(len(rest), module=module)]

    def _of_taken(
        self, module: str, name: str, rest: Sequence[str], steps: int
    ) -> list[NameOrigin]:
        if self._project.path(f"{module}.{name}") is not None:
            return self._of_module(f"{module}.{name}", rest, steps)
        path = self._project.path(module)
        if path is None:
            return [NameOrigin(len(rest), module=module)]
        return self._origins(path, [name, *rest], steps)


def _own(bound: Bindings, name: str, beyond: int) -> Iterator[NameOrigin]:
    if name in bound.functions:
        yield NameOrigin(beyond, calls=0)
    if name in bound.classes | bound.made:
        yield NameOrigin(beyond, calls=1)
    if name in bound.values:
        yield NameOrigin(beyond)


def _is_harmless(module: str) -> bool:
    first = module.partition(".")[0]
    return first not in sys.stdlib_module_names or first in _HARMLESS
