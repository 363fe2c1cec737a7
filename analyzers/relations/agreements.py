"""The postcondition ``agrees``, and which forms of it a test by itself can ask."""

from __future__ import annotations

import ast

from analyzers.vocabulary import Criterion, Json, Violates

TESTABLE = ("value", "reference", "float64", "strides", "decomposition")
"""The relations that a test can compare a call by, with torch alone."""


def agreement(condition: str) -> tuple[str, str, str] | None:
    """API, relation and related call of a postcondition ``agrees(…)``; ``None`` of another."""
    try:
        body = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(body, ast.Call):
        return None
    if not isinstance(body.func, ast.Name) or body.func.id != "agrees":
        return None
    parts = [each.value for each in body.args if isinstance(each, ast.Constant)]
    texts = [part for part in parts if isinstance(part, str)]
    return (texts[0], texts[1], texts[2]) if len(texts) == len(body.args) == 3 else None


def is_function(api: str) -> bool:
    """Whether an API is a function or method of torch, whose calls a test can watch: no layer."""
    parts = api.split(".")
    return parts[0] == "torch" and parts[-1][:1].islower() and all(map(str.isidentifier, parts))


def no_reproducer(criterion: Criterion, api: str, relation: str) -> dict[str, Json]:
    """Why no test can ask for an agreement, as evidence has it; empty where one can."""
    if not isinstance(criterion, Violates) or (relation in TESTABLE and is_function(api)):
        return {}
    what = f"what {relation} says" if is_function(api) else f"a call of {api}"
    return {"no_reproducer": f"{what} cannot be watched by a test that needs torch alone"}
