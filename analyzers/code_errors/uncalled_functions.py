"""Functions that ask an ML API, called in another file by a name that it does not bind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers.ports import Executor
from analyzers.rules.code_error_rules import CODE_ERROR, uncalled_function
from analyzers.source_checks.readers import UNBOUND_CALL
from analyzers.source_checks.unbound_names import unbound_calls
from analyzers.vocabulary import Finding, Target, Written

LEAST_NAME = 6
"""Shorter names are those of many things."""


def uncalled_functions(analyzer: str, target: Target, bench: Executor) -> Iterator[Finding]:
    """Yield where another file calls the target by a name that it does not bind.

    Also where the error is caught: the API is not asked all the same.
    """
    name = target.function
    if not name.isidentifier() or len(name) < LEAST_NAME or not _is_defined_once(name, bench):
        return
    for path in bench.paths():
        text = bench.source(path) if path.endswith(".py") and path != target.path else ""
        line = unbound_calls(text).get(name) if f"{name}(" in text else None
        if line is not None:
            yield _finding(analyzer, target, path, line, text)


def _is_defined_once(name: str, bench: Executor) -> bool:
    defined = re.compile(rf"^\s*(?:async\s+)?(?:def|class)\s+{name}\b", re.MULTILINE)
    texts = (bench.source(path) for path in bench.paths() if path.endswith(".py"))
    return sum(len(defined.findall(text)) for text in texts) == 1


def _finding(analyzer: str, target: Target, path: str, line: int, text: str) -> Finding:
    name, where = target.function, f"{path}:{line}"
    code = text.splitlines()[line - 1].strip()
    title, message = uncalled_function(name, code, where, f"{target.path}:{target.line}")
    return Finding(
        analyzer=analyzer,
        rule=CODE_ERROR.id,
        level=CODE_ERROR.level,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{name}",
        target=target.id,
        title=title,
        message=message,
        evidence={
            "raised_at": where,
            "inputs": 0,
            "exception": "NameError",
            "message": f"name '{name}' is not defined",
        },
        probes=(),
        criterion=Written(path, name, UNBOUND_CALL),
        input_kind=f"uncalled:{name}",
    )
