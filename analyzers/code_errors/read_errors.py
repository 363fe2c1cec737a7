"""Unbound names and calls that always raise, found in the text of a function (``code/error``).

They need no run: whatever keeps the function from being run here, its line fails for the
author too.  Where a run shows the same error, the run is reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.guest.provenance.bindings import FUNCTIONS
from analyzers.ports import Executor
from analyzers.source_checks.code_defects import missing, raising, unbound_defect
from analyzers.source_checks.readers import MISSING_RETURN, RAISING_CALL, UNBOUND_NAME
from analyzers.source_checks.unbound_names import MAIN, MODULE, UnboundName, unbound_names
from analyzers.vocabulary import Finding, Target


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
    names = (each for each in unbound_names(text) if _is_sure(each, results, asked))
    found = [(UNBOUND_NAME, unbound_defect(each, text)) for each in names]
    found += [(RAISING_CALL, each) for each in raising(text)]
    found += [(MISSING_RETURN, each) for each in missing(text)]
    for reader, defect in found:
        if defect.function.replace(".<locals>", "") in concerned:
            yield defect.finding(analyzer, path, target.id, reader)


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
