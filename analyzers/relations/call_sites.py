"""The expression in a file that is a library call, and how to write something in its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from analyzers.inference.constraint_sources.module_scope import dotted_name
from analyzers.inference.shape_interpreter.project_modules import imported
from analyzers.vocabulary import LibraryCall, Suggestion

_NEWLINE = re.compile(r"\r\n|\r|\n")
_SIMPLE = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
METHODS = ".Tensor."
"""What stands in the names of methods, whose first argument is what they are called on."""


@dataclass(frozen=True, slots=True, eq=False)
class CallSite:
    """A call of ``api`` in the text of ``path``, in a statement of its own lines."""

    path: str
    text: str
    tree: ast.Module
    api: str
    call: ast.Call
    statement: ast.stmt
    names: Mapping[str, str]

    @property
    def positional(self) -> tuple[ast.expr, ...]:
        """The positional arguments; what a method is called on comes first."""
        func, arguments = self.call.func, tuple(self.call.args)
        if METHODS not in self.api or not isinstance(func, ast.Attribute):
            return arguments
        return arguments if dotted(func, self.names) else (func.value, *arguments)

    @property
    def keywords(self) -> dict[str, ast.expr]:
        """The arguments given by name."""
        return {each.arg: each.value for each in self.call.keywords if each.arg is not None}

    @property
    def is_plain(self) -> bool:
        """Return whether all arguments are written out."""
        starred = any(isinstance(each, ast.Starred) for each in self.call.args)
        return not starred and all(each.arg is not None for each in self.call.keywords)

    def segment(self, node: ast.AST) -> str:
        """A node's own text."""
        return ast.get_source_segment(self.text, node) or ""

    def spelled(self, name: str) -> str | None:
        """A dotted name as the file can say it with what it imports; ``None`` where it cannot."""
        whole = [(local, full) for local, full in self.names.items() if name == full]
        inside = [
            (local, full) for local, full in self.names.items() if name.startswith(f"{full}.")
        ]
        best = max(whole or inside, key=lambda each: len(each[1]), default=None)
        return None if best is None else best[0] + name[len(best[1]) :]


def site_of(call: LibraryCall, text: str) -> CallSite | None:
    """The one expression on a line that calls an API; ``None`` where it cannot be told."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    bound = (pair for node in tree.body for pair in imported(node))
    names = {local: full for local, full in bound if not full.startswith(".")}
    found = [
        (node, statement)
        for statement in ast.walk(tree)
        if isinstance(statement, _SIMPLE)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and node.lineno <= call.line <= (node.end_lineno or node.lineno)
        and _calls(node, call.api, names)
    ]
    if len(found) != 1 or not _begins_its_line(found[0][1], text):
        return None
    return CallSite(call.path, text, tree, call.api, *found[0], names)


def dotted(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """The full name of what an expression names through an import."""
    first, dot, rest = dotted_name(node).partition(".")
    return names[first] + dot + rest if first in names else None


def _calls(node: ast.Call, api: str, names: Mapping[str, str]) -> bool:
    name = dotted(node.func, names)
    if name is not None:
        return name == api
    if METHODS not in api or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == api.rpartition(".")[2]


def _begins_its_line(statement: ast.stmt, text: str) -> bool:
    return not _lines(text)[statement.lineno - 1].encode()[: statement.col_offset].strip()


def _lines(text: str) -> list[str]:
    return _NEWLINE.split(text)


def replaced(site: CallSite, expression: str) -> Suggestion | None:
    """Another expression in the place of the call."""
    lines = _lines(site.text)
    first, last = site.call.lineno, site.call.end_lineno or site.call.lineno
    head = lines[first - 1].encode()[: site.call.col_offset].decode()
    tail = lines[last - 1].encode()[site.call.end_col_offset or 0 :].decode()
    return _checked(site, first, last, f"{head}{expression}{tail}")


def preceded(site: CallSite, condition: str, complaint: str) -> Suggestion | None:
    """A guard before the statement of the call, which raises ``ValueError``."""
    number = site.statement.lineno
    line = _lines(site.text)[number - 1]
    indent = line[: len(line) - len(line.lstrip())]
    step = "\t" if "\t" in indent else "    "
    guard = [f"{indent}if {condition}:", f"{indent}{step}raise ValueError({_quoted(complaint)})"]
    return _checked(site, number, number, "\n".join([*guard, line]))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', "'") + '"'


def _checked(site: CallSite, first: int, last: int, replacement: str) -> Suggestion | None:
    """The suggestion, where the file still parses with it."""
    lines = _lines(site.text)
    changed = [*lines[: first - 1], *replacement.split("\n"), *lines[last:]]
    try:
        ast.parse("\n".join(changed))
    except (SyntaxError, ValueError):
        return None
    return Suggestion(site.path, first, last, replacement)
