"""Elements of an answer's list that are taken with no guard, though the list may be empty."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import answer_type, fields_of
from analyzers.cloud import messages
from analyzers.cloud.readings.answer_types import AnswerTypes, asked_field
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, assigned, scope_of
from analyzers.rules.cloud_rules import CRASH
from analyzers.vocabulary import Finding

FINDING_NOTHING = frozenset(
    {"labels", "objects", "faces", "text", "logos", "landmarks", "entities", "classify", "speech"}
)
"""Tasks whose list is empty where an input has nothing of the kind."""
_OTHER_SHAPES = ("streaming", "long_running", "batch", "async", "start_")
_CAUGHT = frozenset({"IndexError", "LookupError", "Exception", "BaseException"})


def first_elements(source: TargetText) -> Iterator[Finding]:
    """Yield the elements that a target takes of a list which an input may leave empty."""
    for path, text, call, api in source.calls():
        listed = _list_of(api)
        if not listed or any(part in api.name for part in _OTHER_SHAPES):
            continue
        scope, types = scope_of(text, call), AnswerTypes(text, call, api)
        for node in ast.walk(scope):
            if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)):
                continue
            names = _names_of(node.value, scope, listed, types, api)
            if names and _is_number(node.slice) and not _is_guarded(node, scope, names, text):
                yield _finding(source, path, text, node, (api.name, listed))


def _list_of(api: Api) -> str:
    """Return the field whose list is empty where an API finds nothing, or nothing."""
    field = api.result.partition("[]")[0]
    known = fields_of(answer_type(api))
    may = api.task in FINDING_NOTHING and not api.least and "[]" in api.result
    return field if may and field in known else ""


def _is_number(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant) and type(number.value) is int


def _names_of(
    node: ast.expr, scope: ast.AST, listed: str, types: AnswerTypes, api: Api
) -> frozenset[str]:
    """Return what the list is called where it is taken from; nothing for anything else."""
    found = {listed}
    if isinstance(node, ast.Name):
        values = assigned(scope, node.id)
        found.add(node.id)
        if len(values) != 1:
            return frozenset()
        node = values[0]
    asked = asked_field(node, api)
    if asked is None or asked[1] != listed or types.of(asked[0]) != answer_type(api):
        return frozenset()
    return frozenset(found)


def _is_guarded(node: ast.AST, scope: ast.AST, names: frozenset[str], text: SourceText) -> bool:
    """Return whether any condition of the function asks about the list, or its lack is caught."""
    tests = (test for each in ast.walk(scope) for test in _tests(each))
    if any(names & _mentioned(test) for test in tests if node not in set(ast.walk(test))):
        return True
    inner: ast.AST = node
    for outer in text.ancestors(node):
        if isinstance(outer, ast.Try) and inner in outer.body:
            kinds = (handler.type for handler in outer.handlers)
            if any(kind is None or _CAUGHT & _mentioned(kind) for kind in kinds):
                return True
        inner = outer
    return False


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield test
        case ast.Assert(test=test):
            yield test
        case ast.BoolOp(values=values):
            yield from values
        case ast.comprehension(ifs=ifs, iter=source):
            yield from (*ifs, source)
        case ast.For(iter=source):
            yield source
        case ast.Match(subject=subject):
            yield subject
        case _:
            pass


def _mentioned(node: ast.AST) -> frozenset[str]:
    kinds = {"id", "attr", "value"}
    named = (getattr(each, kind, None) for each in ast.walk(node) for kind in kinds)
    return frozenset(name for name in named if isinstance(name, str))


def _finding(
    source: TargetText, path: str, text: SourceText, node: ast.Subscript, facts: tuple[str, str]
) -> Finding:
    api, listed = facts
    where = f"{path}:{text.line_of(text.span(node)[0])}"
    return source.finding(
        CRASH,
        path,
        text,
        node,
        messages.first_element(api, text.segment(node), where),
        {"exception": "IndexError", "raised_at": where, "answer": {listed: []}},
        "IndexError",
    )
