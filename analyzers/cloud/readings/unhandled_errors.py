"""Requests whose failure nothing handles, while all others like it have a handler for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.catalogue import Api
from analyzers.cloud import messages
from analyzers.cloud.exception_handlers import tried, tried_calls
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, function_around, parsed_source
from analyzers.rules.cloud_rules import MISUSE
from analyzers.source_checks.caught_exceptions import REQUEST_ERRORS
from analyzers.vocabulary import Finding, Level
from analyzers.vocabulary.test_files import is_test_file

KIND = "unhandled-error"
SIBLINGS, SIBLINGS_ELSEWHERE = 2, 3


def unhandled_errors(source: TargetText) -> Iterator[Finding]:
    """Yield the requests of a target that alone in their file have no handler.

    A request that alone in the project has none is a notice: a caller further up may have one.
    """
    for path, text, call, api in source.calls():
        function = function_around(text, call)
        if function is None or function.decorator_list or tried(text, call):
            continue
        here = [
            (text, each)
            for each in _same(text, call)
            if function_around(text, each) is not function
        ]
        others, where = here, "file"
        if len(here) < SIBLINGS:
            others, where = [*here, *_elsewhere(source, path, call, api)], "project"
        name = _shared_handler(others, SIBLINGS if where == "file" else SIBLINGS_ELSEWHERE)
        if not name or any(tried_calls(source.bench, function.name)):
            continue
        line = text.line_of(text.span(call)[0])
        found = source.finding(
            MISUSE,
            path,
            text,
            call,
            messages.unhandled_error(api.name, name, len(others), f"{path}:{line}", where),
            {"misuse": KIND, "api": api.name, "line": line, "exception": name},
            KIND,
        )
        yield found if where == "file" else replace(found, level=Level.NOTICE)


def _shared_handler(calls: Sequence[tuple[SourceText, ast.Call]], least: int) -> str:
    """Return the name of an SDK's exception, if all of enough calls have a handler of one."""
    handlers = [_handler(text, call) for text, call in calls]
    return handlers[0] or "" if len(handlers) >= least and all(handlers) else ""


def _elsewhere(
    source: TargetText, own: str, call: ast.Call, api: Api
) -> Iterator[tuple[SourceText, ast.Call]]:
    """Yield the calls of the same method in the project's other files."""
    method = _method(call, api)
    for path in source.bench.paths() if method else ():
        given = source.bench.source(path) if path.endswith(".py") and path != own else ""
        if f".{method}" not in given or is_test_file(path):
            continue
        try:
            text = parsed_source(given)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(text.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(f".{method}"):
                yield text, node


def _method(call: ast.Call, api: Api) -> str:
    """Return the longest end of a call's dotted name, of two names or more, that the API has."""
    names = ast.unparse(call.func).split(".")
    ends = (".".join(names[at:]) for at in range(1, len(names) - 1))
    return next((end for end in ends if any(m.endswith(f".{end}") for m in api.methods)), "")


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
