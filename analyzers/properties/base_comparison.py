"""Findings of inputs whose result on head differs from that on base."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from analyzers.inference.inference_messages import argument_recipes, given_clause
from analyzers.ports import Executor
from analyzers.properties import messages
from analyzers.properties.changed_results import (
    NON_FINITE,
    STRUCTURE,
    ResultDifference,
    result_difference,
)
from analyzers.vocabulary import (
    Finding,
    JsonObject,
    Level,
    Probe,
    Reason,
    Returned,
    Run,
    Target,
    Violates,
)

NAME = "properties"
CHANGED, NON_FINITE_RULE = "behaviour/changed", "model/non-finite"
MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """An input that returns on both revisions, with the difference of its results."""

    probe: Probe
    difference: ResultDifference

    @property
    def size(self) -> int:
        """Return the length of the input as it is written."""
        return sum(map(len, argument_recipes(self.probe).values()))


def changed_findings(
    target: Target, passing: Sequence[Probe], bench: Executor
) -> Iterator[Finding]:
    """Yield the findings of inputs of a changed function that return something else than on base.

    ``passing`` are inputs that return on head.  A result that is not the same twice on
    either revision says nothing.
    """
    if target.reason is not Reason.CHANGED or not passing or bench.base(target.path) is None:
        return
    probes = [replace(probe, observed=True) for probe in passing]
    heads, bases = bench.run(probes), bench.run_on_base(probes)
    if bases is None:
        return
    pairs = [
        (probe, _observation(base), _observation(head))
        for probe, base, head in zip(passing, bases, heads, strict=True)
    ]
    both = [(probe, base, head) for probe, base, head in pairs if base and head]
    differing = [
        ChangedInput(probe, difference)
        for probe, base, head in both
        if (difference := result_difference(base, head)) is not None
    ]
    changed = _repeated(differing, bench)
    new = [each for each in changed if each.difference.kind == NON_FINITE]
    others = [each for each in changed if each.difference.kind != NON_FINITE]
    if new:
        yield _non_finite(target, new, len(both))
    if others:
        yield _changed(target, others, len(both), bench)


def _observation(run: Run) -> JsonObject | None:
    return run.ending.observation if isinstance(run.ending, Returned) else None


def _repeated(changed: Sequence[ChangedInput], bench: Executor) -> list[ChangedInput]:
    """Return the inputs whose condition holds on base and not on head when they run again."""
    probes = [_conditional(each) for each in changed]
    heads, bases = bench.run(probes), bench.run_on_base(probes) if probes else ()
    return [
        each
        for each, head, base in zip(changed, heads, bases or (), strict=False)
        if not isinstance(head.ending, Returned) and isinstance(base.ending, Returned)
    ]


def _conditional(changed: ChangedInput) -> Probe:
    return replace(changed.probe, observed=False, ensures=(changed.difference.condition,))


def _changed(
    target: Target, changed: Sequence[ChangedInput], inputs: int, bench: Executor
) -> Finding:
    """Return the finding of results that differ: the smallest input of the most telling kind."""
    ordered = sorted(changed, key=lambda each: (each.difference.kind not in STRUCTURE, each.size))
    first = ordered[0]
    structural = first.difference.kind in STRUCTURE
    announced = not structural or _is_private(target) or _is_announced(target, bench)
    title, message = messages.changed_results(
        len(changed), inputs, given_clause(first.probe), first.difference, announced=announced
    )
    return _finding(
        target,
        CHANGED,
        Level.NOTICE if announced else Level.WARNING,
        (title, message),
        first,
        {
            "inputs": inputs,
            "changed": len(changed),
            "examples": [_example(each) for each in ordered[:MOST_EXAMPLES]],
            "groups": list(_groups(ordered, inputs)),
            "arguments": dict(argument_recipes(first.probe)),
        },
    )


def _groups(changed: Sequence[ChangedInput], inputs: int) -> Iterator[JsonObject]:
    """Yield the differences by kind and place, as they stand in evidence."""

    def key(each: ChangedInput) -> tuple[str, str]:
        return each.difference.kind, each.difference.place

    for (kind, place), group in groupby(sorted(changed, key=key), key):
        members = sorted(group, key=lambda each: each.size)
        first = members[0].difference
        yield {
            "things": f"{kind} of `{place}`",
            "of": inputs,
            "count": len(members),
            "before": first.before,
            "after": first.after,
            "says": messages.changed_group(
                kind,
                place,
                len(members),
                inputs,
                max(each.difference.amount for each in members),
            ),
        }


def _example(changed: ChangedInput) -> JsonObject:
    return {
        "description": given_clause(changed.probe).rstrip(" ,:"),
        "before": changed.difference.before,
        "after": changed.difference.after,
    }


def _non_finite(target: Target, changed: Sequence[ChangedInput], inputs: int) -> Finding:
    first = min(changed, key=lambda each: each.size)
    return _finding(
        target,
        NON_FINITE_RULE,
        Level.FAILURE,
        messages.new_non_finite(len(changed), inputs, given_clause(first.probe), first.difference),
        first,
        {
            "executions": ["eager"],
            "error_ratio": None,
            "first_layer": "",
            "mutations": [],
            "arguments": dict(argument_recipes(first.probe)),
            "inputs": inputs,
            "changed": len(changed),
        },
    )


def _finding(
    target: Target,
    rule: str,
    level: Level,
    said: tuple[str, str],
    first: ChangedInput,
    evidence: JsonObject,
) -> Finding:
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=level,
        path=target.path,
        line=target.line,
        end_line=target.line,
        symbol=target.id,
        target=target.id,
        title=said[0],
        message=said[1],
        evidence=evidence,
        probes=(_conditional(first),),
        criterion=Violates(first.difference.condition),
        input_kind=first.difference.kind,
    )


def _is_private(target: Target) -> bool:
    parts = target.function.split(".")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)


def _is_announced(target: Target, bench: Executor) -> bool:
    """Return whether the change edits the docstring, or a test that names the function."""
    there = bench.base(target.path)
    ours = _docstring(bench.source(target.path), target.function)
    if there is not None and ours and ours != _docstring(there[1], target.function):
        return True
    name = target.function.rpartition(".")[2]
    tests = [path for path in bench.paths() if path.endswith(".py") and "test" in path]
    return any(name in bench.source(path) and _is_edited(path, bench) for path in tests)


def _is_edited(path: str, bench: Executor) -> bool:
    there = bench.base(path)
    return there is None or there[1] != bench.source(path)


def _docstring(source: str, function: str) -> str | None:
    try:
        node: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for part in function.split("."):
        inner = (
            each
            for each in ast.iter_child_nodes(node)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and each.name == part
        )
        found = next(inner, None)
        if found is None:
            return None
        node = found
    known = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return ast.get_docstring(node) if isinstance(node, known) else None
