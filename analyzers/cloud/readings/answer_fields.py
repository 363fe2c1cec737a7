"""Fields and keys of an answer that the SDK's own schema does not have.

A wrong attribute raises; a wrong key of ``.get`` is silently nothing, in every answer.
Only what follows from the request by plain assignments and loops is read.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterator, Sequence

from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import answer_type, fields_of, messages_with
from analyzers.cloud import messages
from analyzers.cloud.readings.answer_types import AnswerTypes, asked_field
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, scope_of
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import Finding

KIND = "unknown-field"
ALIKE = 0.75
_OTHER_SHAPES = ("streaming", "long_running", "batch", "async", "start_", "stream")
_AROUND = frozenset({"ResponseMetadata", "NextToken"})


def unknown_fields(source: TargetText) -> Iterator[Finding]:
    """Yield the fields that a target reads of an answer and that no answer has."""
    for path, text, call, api in source.calls():
        if any(part in api.name for part in _OTHER_SHAPES) or not fields_of(answer_type(api)):
            continue
        types = AnswerTypes(text, call, api)
        foreign: set[str] = set()
        for node, owner, name in _asked(scope_of(text, call), api):
            kind = types.of(owner)
            known = fields_of(kind)
            if not known or name in known or name in _AROUND or _is_method(node, name, text):
                continue
            meant = _meant(name, known)
            nested = isinstance(node, ast.Attribute) and kind != answer_type(api)
            others = messages_with(name, kind) if nested else ()
            if meant is not None:
                yield _finding(source, path, text, node, (api, name, f"it has `{meant}`", meant))
            elif others and kind not in foreign:
                foreign.add(kind)
                said = f"`{others[0]}` has it, `{kind.rpartition('.')[2]}` does not"
                yield _finding(source, path, text, node, (api, name, said, ""))


def _asked(scope: ast.AST, api: Api) -> Sequence[tuple[ast.expr, ast.expr, str]]:
    """Return the expressions that ask for a field, as they stand, with its owner and name."""
    nodes = (node for node in ast.walk(scope) if isinstance(node, ast.expr))
    asked = ((node, asked_field(node, api)) for node in nodes)
    found = [(node, *field) for node, field in asked if field is not None]
    return sorted(found, key=lambda each: (each[0].lineno, each[0].col_offset))


def _is_method(node: ast.AST, name: str, text: SourceText) -> bool:
    parent = text.parents.get(node)
    return name.startswith("_") or (isinstance(parent, ast.Call) and parent.func is node)


def _meant(name: str, known: Collection[str]) -> str | None:
    """Return the field that a name is almost."""
    if f"{name}_" in known:
        return None
    folded = {field.replace("_", "").casefold(): field for field in known}
    nearest = difflib.get_close_matches(name.replace("_", "").casefold(), folded, 1, ALIKE)
    return folded[nearest[0]] if nearest else None


def _finding(
    source: TargetText, path: str, text: SourceText, node: ast.AST, facts: tuple[Api, str, str, str]
) -> Finding:
    api, name, said, meant = facts
    first = text.line_of(text.span(node)[0])
    return source.finding(
        MISUSE,
        path,
        text,
        node,
        messages.unknown_field(api.name, text.segment(node), name, said),
        {"misuse": KIND, "api": api.name, "line": first, "field": name, "closest": meant},
        f"{KIND}:{name}",
    )
