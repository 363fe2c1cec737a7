"""Requests that are repeated without end while they fail, or while their answer cannot be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from analyzers.cloud import messages
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText
from analyzers.guest.provenance.bindings import FUNCTIONS
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import Finding

KIND = "endless-retry"
_LEAVING = (ast.Return, ast.Raise, ast.Break)
_EXITS = frozenset({"exit", "quit", "_exit", "abort"})


def retry_loops(source: TargetText) -> Iterator[Finding]:
    """Yield the loops that nothing but success ends."""
    for path, text, call, api in source.calls():
        loop = _loop_around(text, call)
        if loop is None:
            continue
        line = text.line_of(text.span(loop)[0])
        yield source.finding(
            MISUSE,
            path,
            text,
            loop.test,
            messages.endless_retry(api.name, f"{path}:{line}"),
            {"misuse": KIND, "api": api.name, "line": line},
            KIND,
        )


def _loop_around(text: SourceText, call: ast.Call) -> ast.While | None:
    tried: ast.Try | None = None
    inner: ast.AST = call
    for outer in text.ancestors(call):
        if isinstance(outer, FUNCTIONS):
            return None
        if isinstance(outer, ast.Try) and inner in outer.body:
            tried = tried or outer
        elif isinstance(outer, ast.For | ast.AsyncFor):
            return None
        elif isinstance(outer, ast.While):
            endless = isinstance(outer.test, ast.Constant) and bool(outer.test.value)
            tried = tried or _reader(outer, inner)
            return outer if endless and tried is not None and _is_endless(outer, tried) else None
        inner = outer
    return None


def _reader(loop: ast.While, asking: ast.AST) -> ast.Try | None:
    """Return what is tried with the answer of a request, behind it in a loop."""
    place = next((n for n, each in enumerate(loop.body) if each is asking), len(loop.body))
    behind = loop.body[place + 1 :]
    return next((each for each in behind if isinstance(each, ast.Try)), None)


def _is_endless(loop: ast.While, tried: ast.Try) -> bool:
    """Return whether success leaves a loop, and no failure ever does."""
    if tried not in loop.body:
        return False
    place = loop.body.index(tried)
    after = [*tried.orelse, *loop.body[place + 1 :]]
    succeeds = _ends_by_leaving(tried.body) or _ends_by_leaving(after)
    failing = [each for handler in tried.handlers for each in handler.body]
    others = [*failing, *loop.body[:place], *tried.finalbody]
    broad = any(handler.type is None or _is_broad(handler.type) for handler in tried.handlers)
    conditional = [each for each in after if isinstance(each, ast.If)]
    return succeeds and broad and not any(map(_leaves, (*others, *conditional)))


def _is_broad(kind: ast.expr) -> bool:
    names = {getattr(each, "id", None) or getattr(each, "attr", "") for each in ast.walk(kind)}
    return bool(names & {"Exception", "BaseException", "ValueError", "JSONDecodeError"})


def _ends_by_leaving(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ast.Return | ast.Break)


def _leaves(statement: ast.AST) -> bool:
    for node in ast.walk(statement):
        if isinstance(node, _LEAVING):
            return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in _EXITS:
                return True
    return False
