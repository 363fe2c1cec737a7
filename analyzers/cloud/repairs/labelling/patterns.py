"""Labels in regular expressions: one more alternative."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TypeGuard

from analyzers.cloud.editing.source import Source, Splice

FUNCTIONS = frozenset({"search", "match", "fullmatch", "findall", "compile"})
_SPECIAL = re.compile(r"[^\w -]")
_OPEN = ("|", "(", "(?:", "'", '"')
_CLOSED = ("|", ")", "'", '"')
_REPEATED = ("?", "*", "+", "{")


def is_search(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is a call of :mod:`re` with a pattern."""
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in FUNCTIONS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("re", "regex")
    )


def is_pattern(text: Source, literal: ast.Constant) -> bool:
    """Whether a text is the regular expression of a call of :mod:`re`."""
    call = text.parents[literal]
    return is_search(call) and call.args[0] is literal


def alternative(pattern: str, label: str) -> re.Match[str] | None:
    """Find the label where it stands in a pattern for itself, once and in any case.

    Blanks and word characters around it would make it another word.
    """
    pattern = pattern.replace("\\b", "\\\a")
    found = list(re.finditer(rf"(?<![\w -]){re.escape(label)}(?![\w -])", pattern, re.IGNORECASE))
    if len(found) == 1 and not pattern.startswith(_REPEATED, found[0].end()):
        return found[0]
    return None


def in_pattern(
    text: Source, literal: ast.Constant, label: str, added: Sequence[str]
) -> list[Splice]:
    """``re.search('x|z', s)`` → ``re.search('x|y|z', s)``."""
    if any(_SPECIAL.search(each) for each in added):
        return []
    start, end = text.span(literal)
    written = text.text[start:end]
    found = alternative(written, label)
    if found is None:
        return []
    insert = written[found.start() : found.end()]
    more = "|".join(added)
    at, after = start + found.start(), start + found.end()
    alone = written[: found.start()].endswith(_OPEN) and written.startswith(_CLOSED, found.end())
    if alone:
        return [Splice(after, after, f"|{more}")]
    return [Splice(at, after, f"(?:{insert}|{more})")]
