"""Arguments that a function takes and never reads, and passes a constant for under their name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.inference.facts import FunctionContext
from analyzers.properties import messages
from analyzers.properties.property_findings import NAME
from analyzers.vocabulary import Finding, Level, Target, Written

RULE = "property/ignored-argument"


def ignored_argument_findings(target: Target, subject: FunctionContext) -> Iterator[Finding]:
    """Yield a finding for each parameter without effect.

    ``def f(x, steps=50): return g(x, steps=50)`` forgets ``steps``.
    """
    text = subject.sources[subject.path]
    for name, call, passed in _ignored(subject):
        title, message = messages.ignored(target, name, f"{subject.path}:{call.lineno}", passed)
        yield Finding(
            analyzer=NAME,
            rule=RULE,
            level=Level.WARNING,
            path=subject.path,
            line=call.lineno,
            end_line=call.lineno,
            symbol=target.id,
            target=target.id,
            title=title,
            message=message,
            evidence={"parameter": name, "passed": passed},
            probes=(),
            criterion=Written(subject.path, ast.get_source_segment(text, call) or passed),
            input_kind=name,
        )


def _ignored(subject: FunctionContext) -> Iterator[tuple[str, ast.Call, str]]:
    nodes = list(ast.walk(subject.node))
    used = {each.id for each in nodes if isinstance(each, ast.Name)}
    unread = {arg.arg for arg in subject.parameters} - used
    if used & {"locals", "vars"}:
        return
    for call in (each for each in nodes if isinstance(each, ast.Call)):
        for each in call.keywords:
            if each.arg is not None and each.arg in unread and _is_given(each.value):
                yield each.arg, call, ast.unparse(each)


def _is_given(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is not None
