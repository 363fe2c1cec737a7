"""Unbound names and calls that always raise, found in the text of a function (``code/error``).

They need no run: whatever keeps the function from being run here, its line fails for the
author too.  Where a run shows the same error, the run is reported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace

from analyzers.guest.provenance.bindings import FUNCTIONS
from analyzers.guest.provenance.missing_returns import MissingReturn, missing_returns
from analyzers.guest.provenance.raising_calls import RaisingCall, raising_calls
from analyzers.guest.provenance.text_readers import (
    MISSING_RETURN,
    RAISING_CALL,
    UNBOUND_NAME,
)
from analyzers.guest.provenance.unbound_names import MAIN, MODULE, UnboundName, unbound_names
from analyzers.ports import Executor
from analyzers.rules.code_error_rules import (
    CODE_ERROR,
    missing_return,
    raising_call,
    unassigned_name,
    undefined_name,
)
from analyzers.vocabulary import Finding, Level, Suggestion, Target, Written


def read_errors(
    analyzer: str, target: Target, bench: Executor, results: frozenset[str]
) -> Iterator[Finding]:
    """Yield what a target, or what its file runs for it, reads unbound or calls in vain.

    ``results`` are fields of answers that hold lists: a loop over another list says
    nothing of its being empty.
    """
    path = target.path
    if not path.endswith(".py") or path not in bench.paths():
        return
    text = bench.source(path)
    concerned = _run_by(target.function, text)
    asked = {goal.line for goal in target.goals if goal.path == path}
    for unbound in unbound_names(text):
        if unbound.function.replace(".<locals>", "") in concerned and _is_sure(
            unbound, results, asked
        ):
            yield _unbound(analyzer, target, unbound, text)
    for call in raising_calls(text):
        if call.function.replace(".<locals>", "") in concerned:
            yield _raising(analyzer, target, call)
    for missing in missing_returns(text):
        if missing.user.replace(".<locals>", "") in concerned:
            yield _missing(analyzer, target, missing)


def _is_sure(unbound: UnboundName, results: frozenset[str], asked: set[int]) -> bool:
    """Return whether an answer, or a failed request, leaves the name unbound."""
    if unbound.way == "empty":
        return any(unbound.over.endswith((f".{name}", f"['{name}']")) for name in results)
    return unbound.way != "other" or int(unbound.over) in asked


def _run_by(function: str, text: str) -> frozenset[str]:
    """Return the scopes of a file that a run of the function enters, by their qualified names."""
    named = dict(_functions(ast.parse(text)))
    known, waiting = {MODULE}, [function.replace(".<locals>", "")]
    if function == MAIN:
        waiting = [name for name in named if "." not in name]
        known.add(MAIN)
    while waiting:
        name = waiting.pop()
        if name in named and name not in known:
            known.add(name)
            used = {n.id for n in ast.walk(named[name]) if isinstance(n, ast.Name)}
            own = set(_own_attributes(named[name]))
            family = name.rpartition(".")[0]
            waiting += [*used, *(f"{family}.{each}" for each in own)]
    return frozenset({*known, function.replace(".<locals>", "")})


def _own_attributes(function: ast.AST) -> Iterator[str]:
    """Yield the names that a method asks of its instance or class."""
    for node in ast.walk(function):
        owner = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in ("self", "cls"):
            assert isinstance(node, ast.Attribute)
            yield node.attr


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            name = f"{prefix}{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield name, node
            yield from _functions(node, f"{name}.")
        elif isinstance(node, ast.stmt):
            yield from _functions(node, prefix)


def _unbound(analyzer: str, target: Target, unbound: UnboundName, text: str) -> Finding:
    where = f"{target.path}:{unbound.line}"
    undefined = unbound.way == "undefined"
    code = text.splitlines()[unbound.line - 1].strip()
    if undefined:
        words = undefined_name(unbound.name, code, where)
    else:
        place = unbound.over, unbound.bound_at
        words = unassigned_name(unbound.name, unbound.way, place, code, where)
    found = _finding(analyzer, target, unbound.function, unbound.line, words)
    return replace(
        found,
        level=found.level if undefined else Level.WARNING,
        evidence={
            **found.evidence,
            "exception": "NameError" if undefined else "UnboundLocalError",
            "message": f"name '{unbound.name}' is not defined",
            "way": unbound.way,
        },
        criterion=Written(target.path, unbound.key, UNBOUND_NAME),
        input_kind=f"unbound:{unbound.name}",
        suggestion=_import(target.path, unbound, text) if undefined else None,
    )


def _raising(analyzer: str, target: Target, call: RaisingCall) -> Finding:
    where = f"{target.path}:{call.line}"
    words = raising_call(call.code, call.exception, call.why, where)
    found = _finding(analyzer, target, call.function, call.line, words)
    return replace(
        found,
        evidence={**found.evidence, "exception": call.exception, "message": call.why},
        criterion=Written(target.path, call.key, RAISING_CALL),
        input_kind=f"raising:{call.code}",
    )


def _missing(analyzer: str, target: Target, missing: MissingReturn) -> Finding:
    where = f"{target.path}:{missing.line}", f"{target.path}:{missing.used_at}"
    words = missing_return(missing.function, missing.used, *where)
    found = _finding(analyzer, target, missing.user, missing.used_at, words)
    exception = "AttributeError" if missing.used and "[" not in missing.used else "TypeError"
    return replace(
        found,
        level=Level.WARNING,
        evidence={**found.evidence, "exception": exception, "message": "nothing is returned"},
        criterion=Written(target.path, missing.key, MISSING_RETURN),
        input_kind=f"missing-return:{missing.key}",
    )


def _finding(
    analyzer: str, target: Target, function: str, line: int, words: tuple[str, str]
) -> Finding:
    path = target.path
    return Finding(
        analyzer=analyzer,
        rule=CODE_ERROR.id,
        level=CODE_ERROR.level,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=words[0],
        message=words[1],
        evidence={"raised_at": f"{path}:{line}", "inputs": 0},
        probes=(),
        criterion=Written(path, ""),
    )


def _import(path: str, unbound: UnboundName, text: str) -> Suggestion | None:
    """Return the first import of a file with one of the standard library's module before it."""
    tree = ast.parse(text)
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
    end = first.end_lineno or first.lineno
    return Suggestion(path, first.lineno, end, f"import {unbound.name}\n{shown}")
