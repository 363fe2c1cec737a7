"""Requests in loops whose content never changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers import catalogue
from analyzers.cloud.answer_crashes import ExecutedProbe
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.messages import repeated_question
from analyzers.cloud.misuses.misuse import MisuseContext
from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.criteria import is_shown, most_repeated
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import ApiCall, Finding, Level, Repeats

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_PURE = frozenset(
    {"bytes", "str", "dict", "open", "read", "encode", "decode", "b64encode", "len", "print"}
)
_TIMED = frozenset({"sleep", "time", "perf_counter", "monotonic", "timeit", "now"})

Loop = ast.For | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


@dataclass(frozen=True, slots=True)
class LoopedCall:
    """A call in the body of a loop."""

    call: ast.Call
    loop: Loop


def looped_calls(
    source: SourceText, line: int | None, methods: frozenset[str], functions: frozenset[str]
) -> Iterator[LoopedCall]:
    """Yield calls in loops: of a method on a line, or of a function with arguments anywhere."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        plain = isinstance(node.func, ast.Name) and node.func.id in functions and node.args
        on_line = node.lineno == line and _called(node) in methods
        loop = _loop_around(source, node) if plain or on_line else None
        if loop is not None:
            yield LoopedCall(node, loop)


def _loop_around(source: SourceText, call: ast.Call) -> Loop | None:
    """Return the innermost loop around a call, in the same function."""
    inner: ast.AST = call
    for node in source.ancestors(call):
        if isinstance(node, (*_SCOPES, ast.While, ast.Try, ast.AsyncFor)):
            return None
        if isinstance(node, ast.For | ast.comprehension) and inner is node.iter:
            return None
        if isinstance(node, (ast.For, *_COMPREHENSIONS)):
            return node
        inner = node
    return None


def asks_the_same(looped: LoopedCall) -> bool:
    """Return whether a call in a loop asks the same in every round, as far as the text tells.

    Nothing that goes into it may be changed by the loop.  A loop that waits,
    measures time or can be left early asks again on purpose.
    """
    loop, call = looped.loop, looped.call
    if any(isinstance(node, ast.Break | ast.Return | ast.Yield) for node in ast.walk(loop)):
        return False
    if any(_called(node) in _TIMED for node in ast.walk(loop) if isinstance(node, ast.Call)):
        return False
    names = _ingredients(looped)
    return names is not None and not any(
        _touches(node, names, call) for node in ast.walk(loop) if node is not call
    )


def _ingredients(looped: LoopedCall) -> frozenset[str] | None:
    """Return the names that a call is made of; ``None`` where the loop changes one of them."""
    call = looped.call
    waiting = [*call.args, *(keyword.value for keyword in call.keywords), call.func]
    made, known = _made(looped.loop), set[str]()
    while waiting:
        node = waiting.pop()
        if node is not call.func and not _is_made_of_the_same(node):
            return None
        fresh = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - known
        known |= fresh
        for name in fresh & set(made):
            value = made[name]
            if value is None:
                return None
            waiting.append(value)
    return frozenset(known)


def _made(loop: Loop) -> dict[str, ast.expr | None]:
    """Return what each name that a loop binds is made from; ``None``: it may change."""
    bound = [
        n for n in ast.walk(loop) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    ]
    made: dict[str, ast.expr | None] = dict.fromkeys(name.id for name in bound)
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                pass
            case _:
                continue
        if sum(each.id == name for each in bound) == 1:
            made[name] = value
    return made


def _is_made_of_the_same(node: ast.expr) -> bool:
    """Return whether an expression makes the same of the same: constructors and readers do."""
    return all(
        _called(inner) in _PURE or _called(inner)[:1].isupper()
        for inner in ast.walk(node)
        if isinstance(inner, ast.Call)
    )


def _touches(node: ast.AST, names: frozenset[str], asked: ast.Call) -> bool:
    """Return whether a statement or call may change what one of the names stands for.

    What it is given by way of the call that is ``asked`` does not count.
    """
    match node:
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            return bool(_roots(node.value, asked) & names)
        case ast.Call() if not (_called(node) in _PURE or _called(node)[:1].isupper()):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            return any(_roots(each, asked) & names for each in given)
        case _:
            return False


def _roots(node: ast.AST, but: ast.Call) -> set[str]:
    """Return the names in an expression, but for those in one call."""
    if node is but:
        return set()
    own = {node.id} if isinstance(node, ast.Name) else set[str]()
    return own.union(*(_roots(child, but) for child in ast.iter_child_nodes(node)))


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


KIND = "constant-input-in-loop"
TIMES = 3
STEADY = ("google.vision.", "google.language.", "google.speech.", "aws.", "azure.")
"""Providers whose services answer the same question alike; a language model need not."""
_POLLS = ("get_", "operation", "poll", "status", "list_", "describe_")


def repetitions(case: MisuseContext) -> Iterator[Finding]:
    """Yield findings for calls in loops that ask the same in every round, and did so."""
    for call in case.target.calls:
        if not call.api.startswith(STEADY) or _polls(call.api):
            continue
        criterion = Repeats(call.api, TIMES)
        shown = next((each for each in case.executed if is_shown(criterion, [each[1]])), None)
        looped = _looped(case, call) if shown is not None else None
        if shown is not None and looped is not None:
            yield _finding(case, call, *looped, shown)


def _polls(api: str) -> bool:
    return any(word in api.rpartition(".")[2] for word in _POLLS)


def _looped(case: MisuseContext, call: ApiCall) -> tuple[str, LoopedCall] | None:
    """Return the first loop in which the call, or a call of its function, asks the same."""
    own = call.function.rpartition(".")[2]
    wrapper = frozenset({own} if call.function != case.target.function else set[str]())
    for path in dict.fromkeys([call.path, case.target.path, *case.target.files]):
        try:
            source = parsed_source(case.bench.source(path))
        except (SyntaxError, ValueError):
            continue
        line = call.line if path == call.path else None
        for looped in looped_calls(source, line, _methods(call.api), wrapper):
            if asks_the_same(looped):
                return path, looped
    return None


def _methods(api: str) -> frozenset[str]:
    """Return the last names of the methods that ask an API."""
    known = catalogue.load_catalogue().apis[api]
    return frozenset(each.rpartition(".")[2] for each in (*known.methods, *known.requests))


def _finding(
    case: MisuseContext, call: ApiCall, path: str, looped: LoopedCall, shown: ExecutedProbe
) -> Finding:
    probe, run = shown
    line, times = looped.call.lineno, most_repeated(run, call.api)
    title, message = repeated_question(call.api, times)
    return Finding(
        analyzer=NAME,
        rule=MISUSE.id,
        level=Level.NOTICE,
        path=path,
        line=line,
        end_line=looped.call.end_lineno or line,
        symbol=f"{path}::{call.function if path == call.path else case.target.function}",
        target=case.target.id,
        title=title,
        message=message,
        evidence={
            "misuse": KIND,
            "api": call.api,
            "line": line,
            "loop": looped.loop.lineno,
            "times": times,
        },
        probes=(probe,),
        criterion=Repeats(call.api, TIMES),
        input_kind=f"{KIND}:{call.api}",
    )
