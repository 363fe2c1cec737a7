"""Handlers of exceptions around calls, as the text of a project has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.ports import Executor

_BROAD = frozenset({"Exception", "BaseException"})
_BASES: Mapping[str, frozenset[str]] = {
    "IndexError": frozenset({"LookupError"}),
    "KeyError": frozenset({"LookupError"}),
    "JSONDecodeError": frozenset({"ValueError"}),
    "UnboundLocalError": frozenset({"NameError"}),
}


def tried(text: SourceText, node: ast.AST) -> list[ast.Try]:
    """Return the blocks that try a node, the innermost first."""
    found: list[ast.Try] = []
    inner = node
    for outer in text.ancestors(node):
        if isinstance(outer, ast.Try) and any(each is inner for each in outer.body):
            found.append(outer)
        inner = outer
    return found


def tried_calls(bench: Executor, name: str) -> Iterator[ast.Try]:
    """Yield the blocks that try some call of a function by its name, in all files."""
    for path in bench.paths():
        if not path.endswith(".py") or name not in bench.source(path):
            continue
        try:
            text = parsed_source(bench.source(path))
        except (SyntaxError, ValueError, RecursionError):
            continue
        calls = (node for node in ast.walk(text.tree) if isinstance(node, ast.Call))
        named = (
            call
            for call in calls
            if name in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
        )
        for call in named:
            yield from tried(text, call)


def is_handled(bench: Executor, name: str, exception: str) -> bool:
    """Return whether some caller of a function by its name handles an exception that it raises."""
    kind = exception.rpartition(".")[2]
    blocks = tried_calls(bench, name)
    return any(_catches(handler, kind) for block in blocks for handler in block.handlers)


def _catches(handler: ast.ExceptHandler, kind: str) -> bool:
    if handler.type is None:
        return True
    caught = {
        getattr(node, "attr", None) or getattr(node, "id", "") for node in ast.walk(handler.type)
    }
    return bool(caught & (_BROAD | {kind} | _BASES.get(kind, frozenset())))
