"""Another word in the place of one that stands in a condition."""

from __future__ import annotations

import ast
from collections.abc import Callable

from analyzers.cloud.editing.source import Source, Splice
from analyzers.cloud.editing.spelling import CASES, quoted
from analyzers.guest.goals import decisions
from analyzers.vocabulary import Goal, Suggestion


def corrected(goal: Goal, names: Callable[[str], str | None], text: str) -> Suggestion | None:
    """Other words in the condition of ``goal``, in the quotes of those that stood there.

    ``names`` tells the word for the place of another, in the case to which
    the condition brings its operands, else as it is spelled.  ``None`` where
    none of them stands in the condition itself.
    """
    source, place = Source(text), (goal.function, goal.decision)
    decision = next(d for d in decisions(text) if (d.function, d.ordinal) == place)
    condition = source.condition(decision)
    nodes = list(ast.walk(condition)) if condition else []
    edit = source.edited(
        [
            Splice(*source.span(node), quoted(_cased(name, nodes), source.segment(node)))
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and (name := names(node.value)) is not None
        ]
    )
    if edit is None:
        return None
    return Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)


def _cased(name: str, nodes: list[ast.AST]) -> str:
    called = (
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    convert = next((CASES[method] for method in called if method in CASES), str)
    return convert(name)
