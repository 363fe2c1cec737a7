"""JSON asked for in words that the code takes for no answer where the model puts it in a fence.

The text of the answer must come to the parser as it is, and the handler of the parser's error must
go on without asking again or looking for the JSON another way.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Sequence

from analyzers.guest.provenance.bindings import ancestors
from analyzers.rules.cloud_rules import MISUSE
from analyzers.rules.source_messages import lost_answer
from analyzers.source_checks.answer_shapes import PARSERS, places_with_answers
from analyzers.source_checks.answer_values import AnswerValue, AnswerValues, Function
from analyzers.source_checks.caught_exceptions import catches, caught_by
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.function_walk import FunctionWalk
from analyzers.source_checks.sdk_declarations import short
from analyzers.vocabulary import Level

KIND = "lost-answer"
_TEXTS = frozenset(
    {"ChatCompletionMessage.content", "ContentBlock.text", "GenerateContentResponse.text",
     "TextBlock.text"}
)  # fmt: skip
_FORMATS = frozenset(
    {"config", "extra_body", "format", "functions", "generation_config", "guided_json",
     "outputConfig", "output_config", "output_format", "response_format", "response_mime_type",
     "response_model", "response_schema", "text_format", "tools", "toolConfig"}
)  # fmt: skip
_FENCE, _UNREADABLE = "```", "JSONDecodeError"
_ASKING = re.compile(r"\bjson\b", re.IGNORECASE)
_AGAIN = re.compile(r"\b(json|re|ast|yaml|demjson|json5|json_repair)\.\w+|retry|repair|extract")


@functools.lru_cache(maxsize=64)
def lost_answers(text: str) -> Sequence[Defect]:
    """Return the parsers that lose fenced JSON, each once a function."""
    scope, places = places_with_answers(text)
    if not places or _FENCE in text or not _asks_for_json(scope.tree):
        return ()
    found: list[Defect] = []
    for name, function in places:
        walk = FunctionWalk(scope, function)
        for node in walk.expressions() if function is not None else ():
            if isinstance(node, ast.Call) and node.args and scope.dotted(node.func) in PARSERS:
                held = _text(node.args[0], walk.values)
                if held is not None and _is_lost(node, held, function, scope.tree):
                    found.append(_defect(node, held, name))
                    break
    return tuple(found)


def _asks_for_json(tree: ast.Module) -> bool:
    """Return whether a text of a file that is no documentation names JSON."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in said)
    return any(isinstance(n.value, str) and _ASKING.search(n.value) for n in texts)


def _text(node: ast.expr, values: AnswerValues) -> AnswerValue | None:
    """Return the value of an answer's text, as it is but for space around it and a default."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[inner, ast.Constant()]):
            return _text(inner, values)
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
            return _text(inner, values)
        case ast.Name():
            bound = values.resolved(node)
            return _text(bound, values) if bound is not node else None
        case ast.Attribute() | ast.Subscript(slice=ast.Constant()):
            return values.of(node)
        case _:
            return None


def _is_lost(
    call: ast.Call, held: AnswerValue, function: Function | None, tree: ast.Module
) -> bool:
    root = held.root
    field = f"{short(held.trail[-1][0])}.{held.trail[-1][1]}" if held.trail else ""
    free = root.line and root.seen and not _FORMATS & root.keys.keys()
    return bool(free) and field in _TEXTS and all(_gives_up(call, function, tree))


def _gives_up(call: ast.Call, function: Function | None, tree: ast.Module) -> Iterator[bool]:
    """Yield whether the handler of a parser's error goes on without the answer."""
    inner: ast.AST = call
    kept: ast.ExceptHandler | None = None
    for outer in ancestors(call, tree):
        if outer is function:
            break
        if isinstance(outer, ast.For | ast.While | ast.AsyncFor):
            yield kept is not None and isinstance(kept.body[-1], ast.Return | ast.Break)
        elif kept is None and isinstance(outer, ast.Try) and inner in outer.body:
            handlers = (each for each in outer.handlers if catches(caught_by(each), _UNREADABLE))
            kept = next(handlers, None)
        inner = outer
    yield kept is not None and not any(map(_tries_again, kept.body))


def _tries_again(statement: ast.stmt) -> bool:
    """Return whether a statement raises, loops, or looks for the answer in another way."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Raise | ast.Continue | ast.Await | ast.Try):
            return True
        if isinstance(node, ast.Call) and _AGAIN.search(ast.unparse(node.func)):
            return True
    return False


def _defect(call: ast.Call, held: AnswerValue, function: str) -> Defect:
    code = ast.unparse(call)
    return Defect(
        MISUSE.id,
        Level.WARNING,
        function,
        call.lineno,
        f"{KIND}:{code}",
        lost_answer(code, held.root.line),
        {"misuse": KIND, "api": "", "line": call.lineno, "request": held.root.line, "run": False},
        key=f"{function}: {KIND} {code}",
        end_line=call.end_lineno or call.lineno,
    )
