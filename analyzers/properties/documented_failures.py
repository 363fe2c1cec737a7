"""Failures of varied examples that no base judges: those that no valid input explains away.

A value that the project's descriptions name may still not go with the example's data, such as a
layout of channels.  So a failure counts where it is a mistake in code whatever the data is, or
where the statement that fails hands no data over.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence

from analyzers.drivers.variations import Edit
from analyzers.vocabulary import Program, Raised

_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute")
_SIGNATURE = re.compile(
    r"missing \d+ required (positional|keyword-only) argument"
    r"|got an unexpected keyword argument|takes .* positional arguments? but"
)
_NONE = "NoneType"


def is_mistake(
    ending: Raised, edits: Sequence[Edit], statement: str, classes: Container[str]
) -> bool:
    """Return whether documented edits of an example that returns show a mistake in code.

    ``statement`` is the one that raises, ``classes`` are the project's.
    """
    if not edits or not all(each.documented for each in edits):
        return False
    message, texts = ending.message, {each.text for each in edits}
    lacking = _ATTRIBUTE.search(message)
    owner = "" if lacking is None else lacking[1]
    added = any(each.kind == "after" and not each.text.endswith(".eval()") for each in edits)
    numbers = any(_is_number(each) for each in edits)
    if added or numbers or _NONE in message:
        # an object may not be ready for the call, a size not fit, a value be needed elsewhere
        unready = bool(owner) or _NONE in message
        return not (numbers or unready) and _hands_nothing_over(statement)
    sure = {
        "AttributeError": owner in classes,
        "KeyError": message in texts,
        "NameError": True,
        "TypeError": _SIGNATURE.search(message) is not None,
        "UnboundLocalError": True,
    }
    return sure.get(ending.exception, False) or _hands_nothing_over(statement)


def failing_statement(program: Program, completed: int) -> str:
    """Return the statement of a program that raised, of which so many ended; else nothing."""
    body = ast.parse(program.source).body
    return ast.unparse(body[completed]) if completed < len(body) else ""


def _is_number(edit: Edit) -> bool:
    return edit.kind in ("literal", "keyword") and re.match(r"-?\.?\d", edit.text) is not None


def _hands_nothing_over(statement: str) -> bool:
    """Return whether a statement is a method's call to which only literals are given."""
    (node,) = ast.parse(statement).body or [ast.Pass()]
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    return isinstance(call.func.value, ast.Name) and all(
        isinstance(each, ast.Constant) for each in given
    )
