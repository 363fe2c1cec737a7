"""Findings of the project's own programs that base runs and head treats otherwise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from analyzers.criteria import crash_of
from analyzers.inference.input_validity import one_failure_per_line
from analyzers.ports import Executor
from analyzers.properties.base_comparison import (
    changed_result_findings,
    failures_on_head,
    is_different,
    new_failure,
    refusal_findings,
)
from analyzers.properties.driver_search import DriverRuns
from analyzers.vocabulary import (
    Crashes,
    Finding,
    Probe,
    Returned,
    Run,
    RunOutcome,
    Target,
    Violated,
)

MOST_TRIALS = 60


def driver_findings(target: Target, runs: DriverRuns, bench: Executor) -> Iterator[Finding]:
    """Yield failures of programs that base runs, then refusals, then other results.

    Each has the smallest program that shows it, and says where the project has it.
    """
    different = sum(is_different(each) for each in runs.compared)
    bench.count_drivers(runs.drivers, len(runs.compared) - different, different)
    for failure in one_failure_per_line(failures_on_head(runs.compared, bench)):
        found = new_failure(failure, runs.compared, target, bench)
        yield _as_driver(found, bench, partial(_is_same_crash, failure.run.ending))
    for found in refusal_findings(target, runs.compared):
        assert isinstance(found.criterion, Crashes)
        yield _as_driver(found, bench, None)
    for found in changed_result_findings(target, runs.compared, bench):
        line = runs.changed_line or found.line
        placed = replace(found, line=line, end_line=line)
        yield _as_driver(placed, bench, lambda ending: isinstance(ending, Violated))


def _is_same_crash(one: RunOutcome, other: RunOutcome) -> bool:
    return crash_of(one) == crash_of(other)


def _as_driver(
    finding: Finding, bench: Executor, shows: Callable[[RunOutcome], bool] | None
) -> Finding:
    """Return a finding with its smallest program, and evidence that names it."""
    probe = finding.probes[0]
    if shows is not None:
        probe = _smallest(probe, shows, bench)
    program = probe.program
    assert program is not None
    evidence = {
        **finding.evidence,
        "driver": program.place,
        "variation": program.variation,
        "code": program.source,
    }
    message = f"{finding.message}\n\n```python\n{program.source}\n```"
    return replace(finding, probes=(probe,), evidence=evidence, message=message)


def _smallest(probe: Probe, shows: Callable[[RunOutcome], bool], bench: Executor) -> Probe:
    """Drop statements while base runs the program and head still shows the finding."""
    assert probe.program is not None
    place = len(ast.parse(probe.program.source).body) - 1
    trials = 0
    while place >= 0 and trials < MOST_TRIALS and bench.remaining() > 0:
        assert probe.program is not None
        body = ast.parse(probe.program.source).body
        kept = [each for number, each in enumerate(body) if number != place]
        place -= 1
        if not kept:
            continue
        source = ast.unparse(ast.Module(kept, []))
        shorter = replace(probe, program=replace(probe.program, source=source))
        trials += 1
        if _is_shown(shorter, shows, bench):
            probe = shorter
    return probe


def _is_shown(probe: Probe, shows: Callable[[RunOutcome], bool], bench: Executor) -> bool:
    heads: list[Run] = list(bench.run([probe]))
    if not shows(heads[0].ending):
        return False
    bases = bench.run_on_base([probe])
    return bases is not None and isinstance(bases[0].ending, Returned)
