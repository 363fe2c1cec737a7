"""Hints in the code near a target on how it splits texts.

Only hints: an inverse stands when runs have shown it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from analyzers.source_checks.parsed_text import parsed

LONGEST_STRING = 40
MOST_STRINGS = 14
MOST_KEYS = 8
LARGEST_NUMBER = 80
LOOKUPS = frozenset(
    {"find", "findall", "findtext", "find_all", "get", "getElementsByTagName", "getlist", "iter",
     "pop", "select_one"}
)  # fmt: skip
PATTERN_CALLS = frozenset({"compile", "findall", "finditer", "fullmatch", "match", "search"})


@dataclass(frozen=True, slots=True)
class Hints:
    """Constants and the names of what is called, the nearest to the target first.

    ``keys`` look something up in a mapping or a document; ``patterns`` are
    regular expressions, ``replacements`` what is put in a place and what
    stood there.
    """

    strings: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    patterns: tuple[str, ...] = ()
    replacements: tuple[tuple[str, str], ...] = ()
    names: frozenset[str] = frozenset()


@dataclass
class _Found:
    """Hints in the making; dictionaries keep the order."""

    strings: dict[str, None] = field(default_factory=dict[str, None])
    keys: dict[str, None] = field(default_factory=dict[str, None])
    numbers: dict[int, None] = field(default_factory=dict[int, None])
    patterns: dict[str, None] = field(default_factory=dict[str, None])
    replacements: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    names: set[str] = field(default_factory=set[str])

    def read(self, node: ast.AST) -> None:
        """Note what a node says by itself."""
        match node:
            case ast.Constant(value=str(text)) if 0 < len(text) <= LONGEST_STRING:
                self.strings[text] = None
            case ast.Constant(value=int(number)) if 1 < number <= LARGEST_NUMBER:
                self.numbers[number] = None
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                self.keys[key] = None
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                self.names.add(name)
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str(text)), *_]):
                self._call(name, text, node)
            case ast.Slice(step=ast.AST()):
                self.names.add("step")
            case _:
                pass

    def _call(self, name: str, text: str, node: ast.Call) -> None:
        if name in LOOKUPS:
            self.keys[text] = None
        if name in PATTERN_CALLS:
            self.patterns[text] = None
        second = node.args[1] if len(node.args) > 1 else None
        if name == "replace" and isinstance(second, ast.Constant) and second.value:
            self.replacements[text, str(second.value)] = None


def hints_of(sources: Mapping[str, str], path: str, function: str) -> Hints:
    """Return what the target and the rest of its files say; files that do not parse say nothing."""
    found = _Found()
    near = function.rpartition(".")[2]
    trees = [tree for name in (path, *sources) if (tree := parsed(sources.get(name, "")))]
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == near:
                _read(found, node)
        _read(found, tree)
    return Hints(
        tuple(found.strings)[:MOST_STRINGS],
        tuple(found.keys)[:MOST_KEYS],
        tuple(found.numbers)[:MOST_KEYS],
        tuple(found.patterns)[:MOST_KEYS],
        tuple(found.replacements)[:MOST_KEYS],
        frozenset(found.names),
    )


def _read(found: _Found, tree: ast.AST) -> None:
    for node in _without_docstrings(tree):
        found.read(node)


def _without_docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    said = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    return (node for node in ast.walk(tree) if id(node) not in said or isinstance(node, ast.Call))
