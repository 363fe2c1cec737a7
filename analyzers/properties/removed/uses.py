"""Where a file uses what libraries no longer have, unguarded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.properties.removed.entries import Entry, Table
from analyzers.properties.removed.guards import Guards

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Use:
    """One use: ``node`` is the expression, the keyword or the import.

    ``alias`` is the imported name where it is an import.
    """

    entry: Entry
    node: ast.expr | ast.keyword | ast.Import | ast.ImportFrom
    alias: ast.alias | None = None


class Reader:
    """Finds the uses in one file; ``local`` are modules of the project itself.

    ``answers`` are imported names that tell which version of a library is there.
    """

    def __init__(
        self,
        tree: ast.Module,
        known: Table,
        local: frozenset[str],
        answers: frozenset[str] = frozenset(),
    ) -> None:
        self._tree = tree
        self._known = known
        self._roots = known.roots - local
        self._guards = Guards(tree, answers)
        self.names = self._imported()

    def _imported(self) -> dict[str, str]:
        """What the imported names stand for, those that mean only one thing."""
        found: dict[str, str] = {}
        unsure: set[str] = set()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name, means in _brings(node):
                    if self._guards.covers(node) or found.get(name, means) != means:
                        unsure.add(name)
                    found[name] = means
            else:
                unsure.update(_binds(node))
        return {
            name: means
            for name, means in found.items()
            if name not in unsure and means.partition(".")[0] in self._roots
        }

    def dotted(self, node: ast.AST) -> str | None:
        """The dotted name that an expression stands for."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return f"{base}.{node.attr}" if base else None
        return None

    def uses(self) -> Iterator[Use]:
        """Every use, in the order of the tree."""
        made = dict(self._made())
        for node in ast.walk(self._tree):
            if self._guards.covers(node):
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._imports(node)
            elif isinstance(node, ast.Call):
                yield from self._arguments(node)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield from self._expression(node, made)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[Use]:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    continue
                name = f"{node.module}.{alias.name}"
            else:
                name = alias.name
            entry = self._gone(name) if name.partition(".")[0] in self._roots else None
            if entry is not None:
                yield Use(entry, node, alias)

    def _gone(self, name: str) -> Entry | None:
        """The entry for a name, or for a module that it lies in: the most specific."""
        while name:
            if name in self._known.names:
                return self._known.names[name]
            name = name.rpartition(".")[0]
        return None

    def _expression(self, node: ast.Name | ast.Attribute, made: Mapping[str, str]) -> Iterator[Use]:
        name = self.dotted(node)
        if name is not None:
            entry = self._known.names.get(name)
            imported = isinstance(node, ast.Name)
            if entry is not None and not imported:
                yield Use(entry, node)
        elif isinstance(node, ast.Attribute):
            owner = made.get(ast.unparse(node.value))
            entry = self._known.attributes.get(owner or "", {}).get(node.attr)
            if entry is not None:
                yield Use(entry, node)

    def _arguments(self, node: ast.Call) -> Iterator[Use]:
        known = self._known.arguments.get(self.dotted(node.func) or "", {})
        for keyword in node.keywords if known else ():
            if keyword.arg in known:
                yield Use(known[keyword.arg], keyword)
        if "" in known:
            yield Use(known[""], node)

    def _made(self) -> Iterator[tuple[str, str]]:
        """Names and attributes that are set to instances of one known class alone."""
        seen: dict[str, set[str | None]] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign):
                call = node.value
                name = self.dotted(call.func) if isinstance(call, ast.Call) else None
                for each in node.targets:
                    seen.setdefault(ast.unparse(each), set()).add(name)
            elif isinstance(node, ast.arg):
                seen.setdefault(node.arg, set()).add(None)
        for target, names in seen.items():
            (name, *others) = names
            if name is not None and not others:
                yield target, name


def _brings(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds otherwise than by an import."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
        yield node.name or ""


def patched(entry: Entry, source: str) -> bool:
    """Whether a text puts back what is gone: ``np.float = float``, ``setattr(np, "float", …)``."""
    last = re.escape(entry.name.rpartition(".")[2])
    return (
        re.search(rf"\.{last}\s*=(?!=)|setattr\([^()]*[\"']{last}[\"']", source) is not None
        and entry.argument is None
    )
