"""Handlers of exceptions around calls, as the text of a project has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.ports import Executor
from analyzers.source_checks.caught_exceptions import catches, caught_by, passes_on


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
    handlers = (each for block in tried_calls(bench, name) for each in block.handlers)
    return any(catches(caught_by(h), exception) and not passes_on(h) for h in handlers)
