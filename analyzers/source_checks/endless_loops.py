"""Loops that repeat a request to a language model until it succeeds, outside of targets too."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from analyzers.guest.provenance.bindings import FUNCTIONS, ancestors
from analyzers.rules.cloud_rules import MISUSE
from analyzers.rules.source_messages import endless_retry
from analyzers.source_checks.answer_shapes import places_with_answers
from analyzers.source_checks.answer_values import FileScope
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.unbound_names import function_name
from analyzers.vocabulary import Level

KIND = "endless-retry"
_LEAVING = (ast.Return, ast.Raise, ast.Break)
_EXITS = frozenset({"exit", "quit", "_exit", "abort"})


def endless_loops(text: str) -> Sequence[Defect]:
    """Return the loops around requests, or functions of the file that send one, without an end."""
    scope, places = places_with_answers(text)
    found: dict[int, Defect] = {}
    for node in ast.walk(scope.tree) if places else ():
        sends = isinstance(node, ast.Call) and _sends(node, scope)
        loop = endless_loop(node, scope.tree) if isinstance(node, ast.Call) and sends else None
        if loop is not None and isinstance(node, ast.Call):
            function, asked = function_name(loop, scope.tree), f"`{ast.unparse(node.func)}`"
            found.setdefault(
                loop.lineno,
                Defect(
                    MISUSE.id,
                    Level.WARNING,
                    function,
                    loop.lineno,
                    f"{KIND}:{asked}",
                    endless_retry(asked, f"line {loop.lineno}"),
                    {"misuse": KIND, "api": asked.strip("`"), "line": loop.lineno},
                    key=f"{function}: {KIND} {asked}",
                ),
            )
    return tuple(found.values())


def _sends(call: ast.Call, scope: FileScope) -> bool:
    """Return whether a call is a request to a language model, or of a function that sends one."""
    called = scope.called(call)
    inner = ast.walk(called) if called is not None else (call,)
    return any(isinstance(n, ast.Call) and scope.request(n) is not None for n in inner)


def endless_loop(call: ast.Call, tree: ast.Module) -> ast.While | None:
    """Return the loop that repeats a call until it succeeds, if nothing else ends it."""
    tried: ast.Try | None = None
    inner: ast.AST = call
    for outer in ancestors(call, tree):
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
