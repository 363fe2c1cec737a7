"""Failures of varied examples that no base judges: those that no valid input explains away.

A value that the project's descriptions name may still not go with the example's data, such as a
layout of channels.  So a failure counts where it is a mistake in code whatever the data is, or
where the statement that fails hands no data over.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, cast

from analyzers.drivers.variations import Edit
from analyzers.vocabulary import Program, Raised, Returned, Run

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


def variable_of_nan(before: Run, after: Run) -> str | None:
    """Return the variable that held finite numbers in one run, and holds NaN alone in another."""
    earlier, later = _variables(before), _variables(after)
    return next(
        (name for name, each in later.items() if _is_nan(each) and _is_finite(earlier.get(name))),
        None,
    )


def _variables(run: Run) -> Mapping[str, Mapping[str, Any]]:
    seen = run.ending.observation if isinstance(run.ending, Returned) else None
    return {} if seen is None else cast("Mapping[str, Mapping[str, Any]]", seen["arguments"])


def _is_nan(described: Mapping[str, Any]) -> bool:
    if described["kind"] == "array":
        return not described.get("finite") and {*described["numbers"]} == {"nan"}
    return described["kind"] == "number" and bool(described["number"] == "nan")


def _is_finite(described: Mapping[str, Any] | None) -> bool:
    if described is None or described["kind"] == "array":
        return described is not None and described.get("finite") == math.prod(described["shape"])
    return described["kind"] == "number" and isinstance(described["number"], float | int)


def statement_at(program: Program, completed: int) -> str:
    """Return the statement of a program that raised, of which so many ended; else nothing."""
    body = ast.parse(program.source).body
    return ast.unparse(body[completed]) if completed < len(body) else ""


def binding_statement(program: Program, name: str) -> str:
    """Return the last statement of a program that binds a variable."""
    found = ""
    for each in ast.parse(program.source).body:
        targets = each.targets if isinstance(each, ast.Assign) else []
        nodes = (node for target in targets for node in ast.walk(target))
        if any(isinstance(node, ast.Name) and node.id == name for node in nodes):
            found = ast.unparse(each)
    return found


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
