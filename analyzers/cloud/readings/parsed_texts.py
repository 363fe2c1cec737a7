"""A language model's text that is parsed with no guard around it.

A request that asks for no format may be answered with a fence, a sentence before the
JSON, a refusal, or half of it where the model ran out of tokens.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import answer_type
from analyzers.cloud import messages
from analyzers.cloud.readings.answer_types import AnswerTypes
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, assigned, scope_of
from analyzers.rules.cloud_rules import CRASH
from analyzers.vocabulary import Finding

CHATS = frozenset({"chat", "completion"})
_PARSERS = {
    "json.loads": "json.decoder.JSONDecodeError",
    "ast.literal_eval": "SyntaxError",
    "literal_eval": "SyntaxError",
    "eval": "SyntaxError",
    "float": "ValueError",
    "int": "ValueError",
}
_FORMATS = frozenset(
    {"response_format", "text_format", "tools", "functions", "text", "format", "response_model",
     "tool_choice", "function_call", "response_schema", "generation_config", "config", "grammar",
     "output_config", "output_format", "generationConfig", "toolConfig",
     "outputConfig"}
)  # fmt: skip
_METHODS = frozenset({"generate_content", "generate_content_async"})
"""Methods whose answers have all of their text at one property."""
_CONTENT = re.compile(
    r"(\.message\.content|\[.message.\]\[.content.\]|\.output_text|\.content\[0\]\.text"
    r"|\[.content.\]\[0\]\[.text.\])"
    r"(\.strip\(\))?$"
)


def parsed_texts(source: TargetText) -> Iterator[Finding]:
    """Yield the parsers that raise on legal texts of a language model."""
    for path, text, call, api in source.calls():
        if api.task not in CHATS or not _is_free(call):
            continue
        scope, types = scope_of(text, call), AnswerTypes(text, call, api)
        for node in ast.walk(scope):
            exception = _PARSERS.get(_called(node))
            if not (exception and isinstance(node, ast.Call)) or _is_guarded(node, text):
                continue
            if _takes_content(node, scope, types, api):
                yield _finding(source, path, text, node, (api.name, exception))


def _is_free(call: ast.Call) -> bool:
    """Return whether a request asks for no format; one whose options are not seen may."""
    names = {each.arg for each in call.keywords}
    return None not in names and not names & _FORMATS and not _is_begun(call)


def _is_begun(call: ast.Call) -> bool:
    """Return whether the last message is the beginning of the answer."""
    lists = (each.value for each in call.keywords if isinstance(each.value, ast.List))
    ends = (each.elts[-1] for each in lists if each.elts)
    parts = (part for end in ends for part in ast.walk(end))
    return any(isinstance(part, ast.Constant) and part.value == "assistant" for part in parts)


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _takes_content(node: ast.Call, scope: ast.AST, types: AnswerTypes, api: Api) -> bool:
    if len(node.args) != 1:
        return False
    given = node.args[0]
    if isinstance(given, ast.Name):
        values = assigned(scope, given.id)
        given = values[0] if len(values) == 1 else given
    if isinstance(given, ast.BinOp):
        return False
    return _CONTENT.search(ast.unparse(given)) is not None or _is_text(given, types, api)


def _is_text(node: ast.expr, types: AnswerTypes, api: Api) -> bool:
    """Return whether an expression is the property ``text`` of the answer of an SDK's method."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
            return _is_text(inner, types, api)
        case ast.Attribute(value=owner, attr="text"):
            return types.of(owner) == answer_type(api) != "" and types.is_method(_METHODS)
        case _:
            return False


def _is_guarded(node: ast.AST, text: SourceText) -> bool:
    return any(isinstance(each, ast.Try | ast.With) for each in text.ancestors(node))


def _finding(
    source: TargetText, path: str, text: SourceText, node: ast.Call, facts: tuple[str, str]
) -> Finding:
    api, exception = facts
    line = text.line_of(text.span(node)[0])
    legal = "a number in words" if exception == "ValueError" else '```json\n{"a": 1}\n```'
    return source.finding(
        CRASH,
        path,
        text,
        node,
        messages.parsed_text(api, text.segment(node), exception, f"{path}:{line}"),
        {"exception": exception, "raised_at": f"{path}:{line}", "answer": {"content": legal}},
        exception,
    )
