"""Functions that a change touches, told from the syntax and not the lines.

A function has changed when its syntax differs from base: comments, blank
lines, docstrings and moved code count for nothing.  A changed or deleted
constant, import or class counts as a change of the functions that use it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from analyzers.detection.import_graph import Files
from analyzers.detection.python_syntax import MAIN, MODULE
from analyzers.vocabulary import ChangeSet, FileChange

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_GUARD = re.compile(r"__name__ == '__main__'|'__main__' == __name__")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class DefinitionOutline:
    """The definitions of one text, each as its dump without positions.

    ``functions`` by qualified name; ``names`` are the other top-level names
    and ``attributes`` those of classes, as ``Class.name``.
    """

    functions: dict[str, str] = field(default_factory=dict[str, str])
    nodes: dict[str, list[ast.stmt]] = field(default_factory=dict[str, list[ast.stmt]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    attributes: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, source: str) -> DefinitionOutline | None:
        """The outline of a text; ``None`` where it cannot be parsed, or is nested too deep."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        found = cls()
        for node in ast.walk(tree):
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and ast.get_docstring(
                node, clean=False
            ):
                node.body = node.body[1:] or [ast.Pass(lineno=node.lineno, col_offset=0)]
        try:
            found._module(tree)
        except RecursionError:
            return None
        return found

    def _module(self, tree: ast.Module) -> None:
        main: list[ast.stmt] = []
        outside: list[ast.stmt] = []
        for node in tree.body:
            guard = isinstance(node, ast.If) and _GUARD.search(ast.unparse(node.test))
            if isinstance(node, ast.If) and guard:
                main += node.body
                outside += node.orelse
            else:
                outside.append(node)
        self._define((*outside, *main), "", None)
        for name, body in ((MODULE, outside), (MAIN, main)):
            kept = [
                node
                for node in body
                if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
                and not (_is_definition(node) or isinstance(node, ast.Import | ast.ImportFrom))
            ]
            self.nodes[name] = kept
            self.functions[name] = "\n".join(map(ast.dump, kept))
        for node in outside:
            for name in () if _is_definition(node) else bound_names(node):
                self.names[name] = self.names.get(name, "") + ast.dump(node)

    def _define(self, body: tuple[ast.stmt, ...], prefix: str, owner: str | None) -> None:
        for node in body:
            if isinstance(node, _FUNCTIONS):
                name = prefix + node.name
                self.functions[name] = self.functions.get(name, "") + ast.dump(node)
                self.nodes.setdefault(name, []).append(node)
                self._define(tuple(node.body), f"{name}.<locals>.", None)
            elif isinstance(node, ast.ClassDef):
                name = prefix + node.name
                header = [*node.bases, *node.keywords, *node.decorator_list]
                self.attributes[f"{name}."] = "".join(map(ast.dump, header))
                self._define(tuple(node.body), f"{name}.", name)
            else:
                for name in bound_names(node) if owner else ():
                    key = f"{owner}.{name}"
                    self.attributes[key] = self.attributes.get(key, "") + ast.dump(node)
                children = ast.iter_child_nodes(node)
                inner = tuple(child for child in children if isinstance(child, ast.stmt))
                self._define(inner, prefix, owner)

    @property
    def known(self) -> dict[str, str]:
        """Every definition that others can use, by name."""
        plain = {n: d for n, d in self.functions.items() if n not in (MODULE, MAIN)}
        return plain | self.names | self.attributes


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, (*_FUNCTIONS, ast.ClassDef))


def bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield (inner.asname or inner.name).partition(".")[0]


@dataclass(frozen=True)
class FileDifference:
    """The functions of one file that differ between base and head.

    ``functions`` are qualified names on head; ``names`` are changed or
    deleted names that functions may use, ``Class.name`` for attributes and
    ``Class.`` for a class as such.
    """

    functions: frozenset[str]
    names: frozenset[str]

    @cached_property
    def plain(self) -> frozenset[str]:
        """The names without a class."""
        return frozenset(name for name in self.names if "." not in name)


def file_difference(change: FileChange, changes: ChangeSet) -> FileDifference:
    """Return what one changed file's change touches."""
    head = DefinitionOutline.of(changes.sources.get(change.path, "")) or DefinitionOutline()
    origin = change.old_path or change.path
    text = changes.base_sources.get(origin)
    base = DefinitionOutline.of(text) if text is not None else DefinitionOutline()
    if base is None:
        touched = change.lines | change.removed_at
        inside = (
            name
            for name, nodes in head.nodes.items()
            if any(touched.intersection(lines_of(node)) for node in nodes)
        )
        return FileDifference(frozenset(inside), frozenset())
    functions = frozenset(
        name for name, dump in head.functions.items() if dump != base.functions.get(name, "")
    )
    if text is None:
        return FileDifference(functions, frozenset())
    names = _unlike(head.names, base.names) | _unlike(head.attributes, base.attributes)
    return FileDifference(functions, names | (base.known.keys() - head.known.keys()))


def _unlike(head: Mapping[str, str], base: Mapping[str, str]) -> frozenset[str]:
    return frozenset(n for n in head.keys() | base.keys() if head.get(n) != base.get(n))


def lines_of(node: ast.stmt) -> range:
    """The lines of a statement, with its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return range(first, (node.end_lineno or first) + 1)


_SELF = frozenset({"self", "cls"})


def changed_function_ids(files: Files, differences: Mapping[str, FileDifference]) -> frozenset[str]:
    """The ids of the functions that differ, or use a name that does."""
    own = {f"{path}::{name}" for path, known in differences.items() for name in known.functions}
    return functions_using(files, files.importers, differences) | own


def functions_using(
    files: Files, importers: Mapping[str, Iterable[str]], differences: Mapping[str, FileDifference]
) -> frozenset[str]:
    """The ids of the functions that use a changed or deleted name."""
    found: set[str] = set()
    for path, difference in differences.items():
        if difference.names:
            found |= _in_module(path, files, _own(difference), difference)
            for importer in importers.get(path, ()):
                aliases = _aliases(files, importer, path, difference)
                found |= _in_module(importer, files, aliases, difference)
    return frozenset(found)


def _own(difference: FileDifference) -> dict[str, str]:
    """Names as written in the file itself, to the changed names they stand for."""
    classes = {name.partition(".")[0] for name in difference.names - difference.plain}
    return {name: name for name in difference.plain | classes}


def _aliases(files: Files, importer: str, path: str, difference: FileDifference) -> dict[str, str]:
    """Names in an importing file: to a changed name, or to ``""`` for the module."""
    own = _own(difference)
    found: dict[str, str] = {}
    try:
        tree = ast.parse(files.sources[importer])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = files.resolve(importer, node.level, node.module or "")
            for alias in node.names:
                child = files.child(module, alias.name) if module else None
                if module == path and alias.name in own:
                    found[alias.asname or alias.name] = alias.name
                elif path in (child, module if alias.name == "*" else None):
                    found.update(own if alias.name == "*" else {alias.asname or alias.name: ""})
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if files.resolve(importer, 0, alias.name) == path:
                    found[alias.asname or alias.name.rpartition(".")[2]] = ""
    return found


def _in_module(
    path: str, files: Files, aliases: Mapping[str, str], difference: FileDifference
) -> set[str]:
    outline = DefinitionOutline.of(files.sources[path])
    if outline is None or not aliases:
        return set()
    return {
        f"{path}::{name}"
        for name, nodes in outline.nodes.items()
        if any(_uses(node, name, aliases, difference) for node in nodes)
    }


def _uses(
    statement: ast.stmt, function: str, aliases: Mapping[str, str], difference: FileDifference
) -> bool:
    owner = function.partition(".")[0] if "." in function else None
    if owner is not None and f"{owner}." in difference.names and aliases.get(owner) == owner:
        return True
    return any(name in difference.names for name in _used(statement, owner, aliases))


def _used(statement: ast.stmt, owner: str | None, aliases: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            known = aliases.get(node.id)
            if known:
                yield known
                yield f"{known}."
        elif isinstance(node, ast.Attribute):
            base = _last(node.value)
            known = aliases.get(base)
            if known is not None:
                yield f"{known}.{node.attr}" if known else node.attr
            elif base in _SELF and owner is not None:
                yield f"{owner}.{node.attr}"


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
