"""Gradients of the same inputs on base and on head, where the results are the same.

NaN and infinity count for all inputs; other values only for inputs of random numbers:
at zeros, ties and bounds a derivative is a choice, which a change may make otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from analyzers.inference.inference_messages import whole_recipes
from analyzers.ports import Executor
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.changed_results import (
    NON_FINITE,
    ResultDifference,
    result_difference,
)
from analyzers.vocabulary import JsonObject, Probe, Returned, Run

GRADIENTS = "gradients()"
LOST = "gradient"
MOST_INPUTS = 24
_FLOATS = ("torch.float32", "torch.float64")


def gradient_differences(
    runs: Sequence[ComparedRun], bench: Executor
) -> Iterator[tuple[ComparedRun, ResultDifference]]:
    """Yield the inputs whose results agree and whose gradients do not, with the difference."""
    asked = list(_chosen(runs))[:MOST_INPUTS]
    probes = [replace(each.probe, observed=True, ensures=(GRADIENTS,)) for each in asked]
    if not probes:
        return
    bases = bench.run_on_base(probes) or ()
    heads = bench.run(probes) if bases else ()
    for each, base, head in zip(asked, bases, heads, strict=False):
        difference = _difference(base, head, usual=_is_usual(each.probe))
        if difference is not None:
            yield each, difference


def _chosen(runs: Sequence[ComparedRun]) -> Iterator[ComparedRun]:
    """Yield the inputs with floating results that agree: usual ones and edge cases in turn."""
    agreeing = [each for each in runs if _agree(each)]
    distinct = {str(whole_recipes(each.probe)): each for each in agreeing}
    ordered = sorted(distinct.values(), key=lambda each: (each.guessed, _size(each.probe)))
    groups = [[e for e in ordered if _is_usual(e.probe) is usual] for usual in (True, False)]
    yield from groups[0][: MOST_INPUTS // 2]
    yield from groups[1]


def _agree(run: ComparedRun) -> bool:
    base, head = _observation(run.base), _observation(run.head)
    if base is None or head is None or not _has_floats(cast("Mapping[str, Any]", base["result"])):
        return False
    return result_difference(base, head) is None


def _has_floats(described: Mapping[str, Any]) -> bool:
    if described["kind"] == "parts":
        return any(map(_has_floats, described["parts"].values()))
    return described["kind"] == "array" and described["dtype"] in _FLOATS


def _observation(run: Run) -> JsonObject | None:
    return run.ending.observation if isinstance(run.ending, Returned) else None


def _difference(base: Run, head: Run, *, usual: bool) -> ResultDifference | None:
    ours, theirs = _observation(base), _observation(head)
    if ours is None or theirs is None:
        return None
    known = _gradients(ours), _gradients(theirs)
    for name in known[0]:
        is_argument = not ast.literal_eval(name).startswith("self.")
        if name not in known[1] and is_argument and usual:
            condition = f"{name} in {GRADIENTS}"
            return ResultDifference(LOST, GRADIENTS, condition, "there", "missing", 0.0, name)
    common = known[0].keys() & known[1].keys()
    sides = [_only_gradients(each, common) for each in (ours, theirs)]
    found = result_difference(*sides)
    return found if found is not None and (usual or found.kind == NON_FINITE) else None


def _gradients(observation: JsonObject) -> Mapping[str, Any]:
    described = cast("Mapping[str, Any]", observation["arguments"]).get("0", {})
    parts: Mapping[str, Any] = described.get("parts", {})
    return {name: each for name, each in parts.items() if each["kind"] == "array"}


def _only_gradients(observation: JsonObject, names: set[str]) -> JsonObject:
    """Return an observation with the gradients by these names, and nothing else to compare."""
    kept = {name: each for name, each in _gradients(observation).items() if name in names}
    parts: JsonObject = {
        "kind": "parts",
        "type": "dict",
        "access": "key",
        "size": len(kept),
        "parts": kept,
    }
    nothing: JsonObject = {"kind": "object", "type": ""}
    return {**observation, "result": nothing, "arguments": {GRADIENTS: parts}}


def _is_usual(probe: Probe) -> bool:
    """Return whether all floating arrays of an input are random numbers of some range."""
    arrays = [
        node
        for text in whole_recipes(probe).values()
        for node in ast.walk(ast.parse(text, mode="eval"))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("tensor", "array")
    ]
    return bool(arrays) and all(map(_is_random, arrays))


def _is_random(array: ast.Call) -> bool:
    given = {each.arg: ast.unparse(each.value) for each in array.keywords}
    if "float" not in given.get("dtype", "'float32'"):
        return True
    return "seed" in given and not given.keys() & {"at", "fill", "values"}


def _size(probe: Probe) -> int:
    return sum(map(len, whole_recipes(probe).values()))
