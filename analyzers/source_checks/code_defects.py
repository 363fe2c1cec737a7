"""Unbound names, calls that raise and missing returns, as defects (``code/error``)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from analyzers.rules.code_error_rules import (
    CODE_ERROR,
    missing_return,
    raising_call,
    unassigned_name,
    undefined_name,
)
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.missing_returns import MissingReturn, missing_returns
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.raising_calls import RaisingCall, raising_calls
from analyzers.source_checks.unbound_names import MAIN, MODULE, UnboundName, unbound_names
from analyzers.vocabulary import Level


def unbound(text: str) -> Sequence[Defect]:
    """Return the names that are read unbound."""
    return [_unbound(each, text) for each in unbound_names(text)]


def raising(text: str) -> Sequence[Defect]:
    """Return the calls that raise for every argument."""
    return [_raising(each) for each in raising_calls(text)]


def missing(text: str) -> Sequence[Defect]:
    """Return the uses of results that some path leaves empty."""
    return [_missing(each) for each in missing_returns(text)]


def _unbound(name: UnboundName, text: str) -> Defect:
    undefined = name.way == "undefined"
    local = not undefined and name.function not in (MODULE, MAIN)
    exception = "UnboundLocalError" if local else "NameError"
    code = text.splitlines()[name.line - 1].strip()
    if undefined:
        words = undefined_name(name.name, code, f"line {name.line}")
    else:
        place = name.over, name.bound_at
        words = unassigned_name(name.name, name.way, place, code, f"line {name.line}", exception)
    return Defect(
        CODE_ERROR.id,
        CODE_ERROR.level if undefined else Level.WARNING,
        name.function,
        name.line,
        f"unbound:{name.name}",
        words,
        {
            "exception": exception,
            "message": f"name '{name.name}' is not defined",
            "way": name.way,
        },
        key=name.key,
        repair=_import(name, text) if undefined else None,
        rests_on=_rests_on(name),
    )


def _rests_on(name: UnboundName) -> str | int:
    """Return what must come from an answer for a name to be unbound, or nothing."""
    if name.way == "other":
        return int(name.over)
    return name.over if name.way == "empty" else ""


def _raising(call: RaisingCall) -> Defect:
    return Defect(
        CODE_ERROR.id,
        CODE_ERROR.level,
        call.function,
        call.line,
        f"raising:{call.code}",
        raising_call(call.code, call.exception, call.why, f"line {call.line}"),
        {"exception": call.exception, "message": call.why},
        key=call.key,
    )


def _missing(missing: MissingReturn) -> Defect:
    where = f"line {missing.line}", f"line {missing.used_at}"
    exception = "AttributeError" if missing.used and "[" not in missing.used else "TypeError"
    return Defect(
        CODE_ERROR.id,
        Level.WARNING,
        missing.user,
        missing.used_at,
        f"missing-return:{missing.key}",
        missing_return(missing.function, missing.used, *where),
        {"exception": exception, "message": "nothing is returned"},
        key=missing.key,
    )


def _import(unbound: UnboundName, text: str) -> tuple[int, int, str] | None:
    """Return the first import of a file with one of the standard library's module before it."""
    tree = parsed(text)
    assert tree is not None
    attributes = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    if unbound.name not in sys.stdlib_module_names or unbound.name not in attributes:
        return None
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = text.splitlines()
    first = next((each for each in imports if getattr(each, "module", "") != "__future__"), None)
    if first is None:
        return None
    shown = "\n".join(lines[first.lineno - 1 : first.end_lineno])
    return first.lineno, first.end_lineno or first.lineno, f"import {unbound.name}\n{shown}"
