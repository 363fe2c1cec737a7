"""Relations between calls that base keeps for all inputs asked, and head breaks.

They concern other calls than the one whose result is compared, so that results may be
the same on base and on head: a layer that ``state_dict`` misses, rows or masked places
that have an effect they had not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzers.inference.inference_messages import whole_recipes
from analyzers.ports import Executor
from analyzers.properties import messages
from analyzers.properties.base_search import ComparedRun
from analyzers.vocabulary import Probe, RecipeArgument, Returned, Violated

MOST_INPUTS, LEAST_INPUTS = 6, 2
_MASK = re.compile(r"mask", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BrokenRelation:
    """A relation that an input breaks on head, and ``inputs`` that were asked on base."""

    probe: Probe
    ending: Violated
    inputs: int
    says: str


def broken_call_relations(runs: Sequence[ComparedRun], bench: Executor) -> Iterator[BrokenRelation]:
    """Yield each relation that holds on base wherever it can be asked, and not on head."""
    both = [each for each in runs if _returned(each) and not each.guessed]
    distinct = {str(whole_recipes(each.probe)): each.probe for each in both}
    asked: dict[tuple[str, str], list[Probe]] = {}
    for probe in sorted(distinct.values(), key=_size):
        for condition, says in _conditions(probe):
            asked.setdefault((condition, says), []).append(probe)
    for (condition, says), probes in asked.items():
        found = _broken(condition, says, probes[:MOST_INPUTS], bench)
        if found is not None:
            yield found


def _returned(run: ComparedRun) -> bool:
    return all(isinstance(each.ending, Returned) for each in (run.base, run.head))


def _conditions(probe: Probe) -> Iterator[tuple[str, str]]:
    if "self" in probe.arguments:
        yield "reloads()", messages.RELOADS
    yield "permutes()", messages.PERMUTES
    given = {n: a.recipe for n, a in probe.arguments.items() if isinstance(a, RecipeArgument)}
    masks = [name for name, text in given.items() if _MASK.search(name) and "'bool'" in text]
    for mask in masks:
        for name, text in given.items():
            if name not in (mask, "self") and _is_floating(text):
                for kept in (True, False):
                    yield f"ignores_masked({name!r}, {mask!r}, {kept})", messages.MASKED


def _is_floating(recipe: str) -> bool:
    node = ast.parse(recipe, mode="eval").body
    made = isinstance(node, ast.Call) and ast.unparse(node.func) in ("tensor", "array")
    return made and ("dtype" not in recipe or "float" in recipe)


def _broken(
    condition: str, says: str, probes: Sequence[Probe], bench: Executor
) -> BrokenRelation | None:
    asking = [replace(each, observed=False, ensures=(condition,)) for each in probes]
    bases = bench.run_on_base(asking) or ()
    holding = [
        probe for probe, run in zip(asking, bases, strict=False) if isinstance(run.ending, Returned)
    ]
    if len(holding) < LEAST_INPUTS or any(isinstance(run.ending, Violated) for run in bases):
        return None
    for probe, run in zip(holding, bench.run(holding), strict=True):
        if isinstance(run.ending, Violated):
            return BrokenRelation(probe, run.ending, len(holding), says)
    return None


def _size(probe: Probe) -> int:
    return sum(map(len, whole_recipes(probe).values()))
