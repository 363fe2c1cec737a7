"""Promises that base keeps for all variations of programs tried, and head breaks for one.

They are asked only where results differ: one that is broken says more of the difference than
the values do.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, cast

from analyzers.drivers.promises import (
    CalledProgram,
    Promise,
    call_promises,
    called_program,
    program_promises,
)
from analyzers.ports import Executor
from analyzers.properties.base_comparison import is_different, is_other_structure
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.changed_results import result_difference
from analyzers.properties.driver_runs import DriverRuns
from analyzers.properties.driver_search import LONGEST
from analyzers.vocabulary import Probe, Returned, Run, Violated

MOST_OF_A_KIND, LEAST_PROGRAMS, ASKED_FIRST = 4, 3, 3
SECONDS, SHARE = 10.0, 0.35
ASSERTION = "assertion"
_SEED = "seed_number"
_SEEDS = {
    "torch": f"import torch\ntorch.manual_seed({_SEED})",
    "numpy": f"import numpy\nnumpy.random.seed({_SEED})",
    "random": f"import random\nrandom.seed({_SEED})",
}
_ORDER = (
    *(ASSERTION, "unchanged arguments", "repetition", "function", "batch independence"),
    *("masked places", "padding", "cached decoding", "state_dict", "row order", "reduction"),
    *("settable property", "precision", "gradient"),
)
"""The names of promises, the most telling first."""


@dataclass(frozen=True, slots=True)
class BrokenPromise:
    """The smallest program that breaks a promise on head, and how many keep it on base."""

    promise: Promise
    probe: Probe
    ending: Violated
    kept: int
    broken: int


def broken_promise(runs: DriverRuns, bench: Executor) -> BrokenPromise | None:
    """Return the most telling promise that base keeps for all programs asked, and head breaks."""
    until = time.monotonic() + min(SECONDS, SHARE * bench.remaining())
    for probe in sorted(runs.refuted, key=_size):
        if probe.program is not None and not probe.program.edits:
            promise = Promise(ASSERTION, probe.ensures[0])
            found = _broken(promise, [(promise, probe)], bench)
            if found is not None and _fails_for_seeds(found.probe, bench):
                return found
    chosen = _chosen(runs.compared)
    groups: dict[tuple[int, str], list[tuple[Promise, Probe]]] = {}
    for promise, probe in _promised(chosen, runs, bench):
        key = _ORDER.index(promise.name), promise.about
        groups.setdefault(key, []).append((promise, probe))
    for key in sorted(groups):
        if time.monotonic() > until:
            return None
        found = _broken(groups[key][0][0], groups[key], bench)
        stated = found is not None and found.promise.name == ASSERTION
        if found is not None and not (stated and not _fails_for_seeds(found.probe, bench)):
            return found
    return None


def _fails_for_seeds(probe: Probe, bench: Executor) -> bool:
    """Return whether base keeps an assertion and head breaks it for other random numbers too."""
    assert probe.program is not None
    source = probe.program.source
    used = [lines for word, lines in _SEEDS.items() if re.search(rf"\b{word}\b", source)]
    texts = ("\n".join([*used, source]).replace(_SEED, str(number)) for number in (1, 2))
    probes = [replace(probe, program=replace(probe.program, source=text)) for text in texts]
    pairs = bench.run_programs(probes, LONGEST) or ()
    return bool(pairs) and all(
        isinstance(base.ending, Returned) and isinstance(head.ending, Violated)
        for base, head in pairs
    )


def _chosen(runs: Sequence[ComparedRun]) -> list[ComparedRun]:
    """Return the smallest programs that differ and the smallest of those that do not, in turn.

    What returns another structure breaks every promise, and says nothing by that.
    """
    known = {
        each.probe.program.source: each
        for each in runs
        if each.probe.program is not None
        and not each.guessed
        and _returned(each)
        and not is_other_structure(each)
    }
    ordered = sorted(known.values(), key=lambda each: _size(each.probe))
    sides = [[each for each in ordered if is_different(each) is side] for side in (True, False)]
    pairs = zip_longest(*(side[:MOST_OF_A_KIND] for side in sides))
    return [each for pair in pairs for each in pair if each is not None]


def _returned(run: ComparedRun) -> bool:
    return all(isinstance(each.ending, Returned) for each in (run.base, run.head))


def _promised(
    chosen: Sequence[ComparedRun], runs: DriverRuns, bench: Executor
) -> Iterator[tuple[Promise, Probe]]:
    """Yield what may be promised of programs, each with the probe that asks it."""
    names = frozenset(n for each in bench.changed for n in each.function.split("."))
    for run in chosen:
        seen = _seen(run.base)
        assert run.probe.program is not None
        source = run.probe.program.source
        for text, promise in program_promises(source, seen, runs.definitions, names):
            yield promise, _asking(run.probe, text, promise)
    places = [_place(each) for each in chosen]
    usual = next((place for place in places if place), "")
    called = {
        number: program
        for number, (run, place) in enumerate(zip(chosen, places, strict=True))
        if (program := _called(run, place or usual)) is not None
    }
    probes = [_asking(chosen[n].probe, each.source) for n, each in called.items()]
    pairs = bench.run_programs(probes, LONGEST) if probes else ()
    for (number, program), (base, _) in zip(called.items(), pairs or (), strict=False):
        for promise in call_promises(program, _seen(base), runs.definitions):
            yield promise, _asking(chosen[number].probe, program.extended(promise), promise)


def _called(run: ComparedRun, binding: str) -> CalledProgram | None:
    """Return the program up to the call to be related; ``None`` where it takes no arrays."""
    source = "" if run.probe.program is None else run.probe.program.source
    program = called_program(source, binding) or called_program(source)
    if program is None:
        return None
    seen = _seen(run.base)
    kinds = {seen[name]["kind"] if name in seen else "" for _, name in program.arguments}
    return program if kinds & {"array", ""} else None


def _place(run: ComparedRun) -> str:
    """Return the variable that differs most tellingly; empty where none does."""
    base, head = run.base.ending, run.head.ending
    assert isinstance(base, Returned)
    assert isinstance(head, Returned)
    if base.observation is None or head.observation is None:
        return ""
    difference = result_difference(base.observation, head.observation)
    return "" if difference is None else re.split(r"\W", difference.place)[0]


def _seen(run: Run) -> Mapping[str, Mapping[str, Any]]:
    seen = run.ending.observation if isinstance(run.ending, Returned) else None
    return {} if seen is None else cast("Mapping[str, Mapping[str, Any]]", seen["arguments"])


def _asking(probe: Probe, source: str, promise: Promise | None = None) -> Probe:
    assert probe.program is not None
    program = replace(probe.program, source=source)
    ensures = () if promise is None else (promise.condition,)
    return replace(probe, program=program, ensures=ensures, observed=promise is None)


def _broken(
    promise: Promise, asked: Sequence[tuple[Promise, Probe]], bench: Executor
) -> BrokenPromise | None:
    """Return the smallest program that breaks a promise, where base keeps it for all.

    What the project itself asserts of a program needs no other.
    """
    distinct = {str((each.program, each.ensures)): each for _, each in asked}
    probes = list(distinct.values())
    kept: list[tuple[Probe, Run]] = []
    for some in (probes[:ASKED_FIRST], probes[ASKED_FIRST:]):
        pairs = bench.run_programs(some, LONGEST) or () if some else ()
        if any(isinstance(base.ending, Violated) for base, _ in pairs):
            return None
        kept += [
            (probe, head)
            for probe, (base, head) in zip(some, pairs, strict=False)
            if isinstance(base.ending, Returned)
        ]
        if not any(isinstance(head.ending, Violated) for _, head in kept):
            return None
    broken = [(p, h.ending) for p, h in kept if isinstance(h.ending, Violated)]
    broken.sort(key=lambda each: _size(each[0]))
    stated = promise.name == ASSERTION and bool(broken) and not _size(broken[0][0])[0]
    if not broken or (len(kept) < LEAST_PROGRAMS and not stated):
        return None
    return BrokenPromise(promise, *broken[0], len(kept), len(broken))


def _size(probe: Probe) -> tuple[int, int]:
    program = probe.program
    return (0, 0) if program is None else (program.edits, len(program.source))
