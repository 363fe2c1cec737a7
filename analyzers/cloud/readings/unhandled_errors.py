"""Requests whose failure nothing handles, while all others of the file have a handler for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.cloud import messages
from analyzers.cloud.exception_handlers import tried, tried_calls
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, function_around
from analyzers.rules.cloud_rules import MISUSE
from analyzers.source_checks.caught_exceptions import REQUEST_ERRORS
from analyzers.vocabulary import Finding

KIND = "unhandled-error"
SIBLINGS = 2


def unhandled_errors(source: TargetText) -> Iterator[Finding]:
    """Yield the requests of a target that alone in their file have no handler."""
    for path, text, call, api in source.calls():
        function = function_around(text, call)
        if function is None or function.decorator_list or tried(text, call):
            continue
        others = [each for each in _same(text, call) if function_around(text, each) is not function]
        handlers = [_handler(text, each) for each in others]
        if (
            len(handlers) < SIBLINGS
            or not all(handlers)
            or any(tried_calls(source.bench, function.name))
        ):
            continue
        name = next(filter(None, handlers))
        line = text.line_of(text.span(call)[0])
        yield source.finding(
            MISUSE,
            path,
            text,
            call,
            messages.unhandled_error(api.name, name, len(others), f"{path}:{line}"),
            {"misuse": KIND, "api": api.name, "line": line, "exception": name},
            KIND,
        )


def _same(text: SourceText, call: ast.Call) -> Iterator[ast.Call]:
    """Yield the other calls of the same method."""
    method = ast.unparse(call.func).partition(".")[2]
    calls = (node for node in ast.walk(text.tree) if isinstance(node, ast.Call))
    for node in calls if method else ():
        if node is not call and ast.unparse(node.func).partition(".")[2] == method:
            yield node


def _handler(text: SourceText, call: ast.Call) -> str | None:
    """Return the name of the SDK's exception that is handled around a call."""
    for block in tried(text, call):
        for handler in block.handlers:
            for node in ast.walk(handler.type) if handler.type is not None else ():
                name = getattr(node, "attr", None) or getattr(node, "id", "")
                if name in REQUEST_ERRORS:
                    return str(name)
    return None
