"""Subjects for tests of inference, made from sources."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from analyzers.guest.annotations.syntax import render
from analyzers.inference.facts import Fact, FunctionContext, InferredConstraint


def subject(text: str, function: str, path: str = "net.py", **sources: str) -> FunctionContext:
    """A function of a file; other files have ``__`` for ``/`` and their last ``_`` for the dot."""
    tree = ast.parse(text)
    owner, node, body = None, None, tree.body
    for part in function.split("."):
        for each in body:
            if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name == part:
                owner, node = (each, node) if isinstance(each, ast.ClassDef) else (owner, each)
                body = each.body
                break
    assert isinstance(node, ast.FunctionDef)
    others: Mapping[str, str] = {
        ".".join(name.replace("__", "/").rsplit("_", 1)): each for name, each in sources.items()
    }
    return FunctionContext(path, function, node, tree, owner, {path: text, **others})


def said(facts: Iterable[Fact]) -> list[str]:
    """Facts as lines: ``x: ints(min=1) LIKELY``, ``a % b == 0 STRONG``."""
    return [
        f"{each.parameter}: {render(each.constraint)} {each.confidence.name}"
        if isinstance(each, InferredConstraint)
        else f"{each.condition} {each.confidence.name}"
        for each in facts
    ]
