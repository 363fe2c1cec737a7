"""Texts that are added to a list letter by letter: ``found += "Content: " + text``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.cloud import messages
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import scope_of
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import Finding

KIND = "letters-in-list"


def letters_in_lists(source: TargetText) -> Iterator[Finding]:
    """Yield the first text of each list that a function makes beside its request."""
    for path, text, call, api in source.calls():
        scope = scope_of(text, call)
        lists = _lists(scope)
        added = (node for node in ast.walk(scope) if isinstance(node, ast.AugAssign))
        for node in sorted(added, key=lambda each: each.lineno):
            match node:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                    if name in lists and _is_composed(value):
                        lists.discard(name)
                        line = text.line_of(text.span(node)[0])
                        yield source.finding(
                            MISUSE,
                            path,
                            text,
                            node,
                            messages.letters_in_list(name, text.segment(node), f"{path}:{line}"),
                            {"misuse": KIND, "api": api.name, "line": line},
                            f"{KIND}:{name}",
                        )
                case _:
                    pass


def _lists(scope: ast.AST) -> set[str]:
    """Return the names that a scope assigns nothing but new lists."""
    found: dict[str, bool] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            is_list = ast.unparse(node.value) in ("[]", "list()")
            for target in node.targets:
                for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                    found[name] = is_list and found.get(name, True)
    return {name for name, is_list in found.items() if is_list}


def _is_composed(value: ast.expr) -> bool:
    """Return whether a value is a text that is put together of words and other texts."""
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return any(_is_word(each) or _is_composed(each) for each in (left, right))
        case ast.JoinedStr(values=parts):
            return any(map(_is_word, parts))
        case _:
            return False


def _is_word(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and sum(map(str.isalpha, value)) > 1
