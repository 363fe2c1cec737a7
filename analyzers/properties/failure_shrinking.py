"""Failures on head of inputs that base takes, made smaller while both stay so."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from analyzers.inference.constraint_sources.default_values import defaults
from analyzers.inference.facts import ProjectTexts
from analyzers.inference.function_contracts import CONSTRUCTOR
from analyzers.inference.function_lookup import find_function, sibling_method
from analyzers.ports import Executor
from analyzers.properties.base_search import ComparedRun, call_probe, recipes_of
from analyzers.properties.call_variants import KnownCall, complexity, simpler
from analyzers.vocabulary import Died, Failure, Probe, Raised, Returned, RunOutcome, Target

MOST_ROUNDS, MOST_TRIED = 12, 48
SECONDS = 4.0


def returning_on_base(probes: Sequence[Probe], bench: Executor) -> list[ComparedRun]:
    """Return the runs on both revisions of the inputs that return on base."""
    bases = bench.run_on_base(probes) if probes else None
    pairs = list(zip(probes, bases or (), strict=False))
    returned = [each for each in pairs if isinstance(each[1].ending, Returned)]
    heads = bench.run([probe for probe, _ in returned]) if returned else ()
    return [ComparedRun(*each, head) for each, head in zip(returned, heads, strict=True)]


def smallest_failure(failure: Failure, target: Target, bench: Executor) -> Failure:
    """Return a failure with the smallest input found that still fails so on head alone."""
    subject = find_function(target.path, target.function, ProjectTexts(bench, on_base=True))
    recipes = recipes_of(failure.probe)
    if subject is None or recipes is None:
        return failure
    constructor = sibling_method(subject, "__init__") if subject.owner is not None else None
    call = KnownCall.of(recipes, constructor)
    optional = {arg.arg for arg, _ in defaults(subject)}
    if constructor is not None:
        optional |= {CONSTRUCTOR + arg.arg for arg, _ in defaults(constructor)}
    until = time.monotonic() + min(SECONDS, bench.remaining() / 4)
    tried: set[str] = set()
    for _ in range(MOST_ROUNDS):
        new = {str(each.recipes()): each for each in simpler(call, optional)}
        calls = [new[text] for text in new.keys() - tried]
        calls = sorted(calls, key=lambda each: (complexity(each), str(each.recipes())))
        tried |= new.keys()
        found = _first_alike(calls[:MOST_TRIED], failure, target, bench)
        if found is None or time.monotonic() > until:
            break
        call, failure = found
    return failure


def _first_alike(
    calls: Sequence[KnownCall], failure: Failure, target: Target, bench: Executor
) -> tuple[KnownCall, Failure] | None:
    """Return the first call that returns on base and fails on head as a failure does."""
    probes = {str(each.recipes()): each for each in calls}
    made = [replace(call_probe(target, each), observed=False) for each in calls]
    for run in returning_on_base(made, bench):
        if _place(run.head.ending) == _place(failure.run.ending):
            call = probes[str(recipes_of(run.probe))]
            return call, replace(failure, probe=run.probe, run=run.head)
    return None


def _place(ending: RunOutcome) -> object:
    if isinstance(ending, Raised):
        return ending.exception, ending.path, ending.line
    return ending.signal if isinstance(ending, Died) else None
