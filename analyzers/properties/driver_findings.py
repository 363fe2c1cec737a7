"""Findings of the project's own programs that base runs and head treats otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from analyzers.criteria import is_shown
from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import given_clause
from analyzers.inference.input_validity import one_failure_per_line
from analyzers.ports import Executor
from analyzers.properties import messages
from analyzers.properties.base_comparison import (
    PROMISE,
    changed_result_findings,
    comparison_finding,
    failures_on_head,
    is_announced,
    is_different,
    nan_finding,
    new_failure,
    refusal_findings,
)
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.driver_runs import DriverRuns
from analyzers.properties.driver_search import driver_study
from analyzers.properties.program_promises import BrokenPromise, broken_promise
from analyzers.properties.property_findings import failure_finding
from analyzers.vocabulary import (
    Contract,
    Criterion,
    DriverCounts,
    ExplorationResult,
    Failure,
    Finding,
    Level,
    Probe,
    Reason,
    Returned,
    Target,
    Violates,
)

MOST_TRIALS = 60


def driven(target: Target, bench: Executor) -> Iterator[Finding]:
    """Yield what the project's own programs, run once for a change, show of a changed function."""
    if target.reason is Reason.CHANGED:
        yield from driver_findings(target, driver_study(bench).runs_of(target), bench)


def driver_findings(target: Target, runs: DriverRuns, bench: Executor) -> Iterator[Finding]:
    """Yield failures of programs that base runs, or else refusals and other results.

    Each has the smallest program that shows it, and says where the project has it.  Of
    failures at one line only that of the program with the fewest edits stands.
    """
    found = list(_findings(target, runs, bench))
    grave = [each for each in found if each.level is Level.FAILURE]
    by_line: dict[tuple[str, int], Finding] = {}
    for each in sorted(grave, key=_edits):
        by_line.setdefault((each.path, each.line), each)
    for each in by_line.values() if grave else found:
        yield _with_smallest_program(each, bench)
    examples = {run.head.ending: run for run in reversed(runs.failing)}
    for run in [] if grave else examples.values():
        yield _failing_example(run, target, bench)


def _edits(finding: Finding) -> int:
    program = finding.probes[0].program
    return 0 if program is None else program.edits


def count_driver_runs(target: Target, bench: Executor) -> None:
    """Count what the project's own programs ran of a changed function."""
    if target.reason is not Reason.CHANGED:
        return
    runs = driver_study(bench).runs_of(target)
    different = sum(is_different(each) for each in runs.reaching)
    same = len(runs.reaching) - different
    ran = [(each.probe, each.head) for each in (*runs.reaching, *runs.alone)]
    counts = DriverCounts(tuple(runs.drivers), same, different, *runs.covered, runs=len(ran))
    bench.count_drivers(counts, ran)


def _findings(target: Target, runs: DriverRuns, bench: Executor) -> Iterator[Finding]:
    for failure in one_failure_per_line(failures_on_head(runs.compared, bench)):
        yield new_failure(failure, runs.compared, target, bench)
    yield from refusal_findings(target, runs.compared)
    told = list(changed_result_findings(target, runs.compared, bench))
    notices = [each for each in told if each.level is Level.NOTICE]
    unsaid = (len(notices) == len(told)) and not is_announced(target, bench)
    promise = broken_promise(runs, bench) if unsaid and (told or runs.refuted) else None
    if promise is not None:
        told = [_promise_finding(promise, target)]
    for found in told:
        line = runs.changed_line or found.line
        yield replace(found, line=line, end_line=line)


def _failing_example(run: ComparedRun, target: Target, bench: Executor) -> Finding:
    """Return the warning of a documented example of new code that raises, or gives NaN."""
    if run.probe.ensures:
        return _with_program(nan_finding(target, run.probe), run.probe)
    failure = Failure(run.probe, run.head)
    terms = FunctionContract(Contract(), {})
    found = failure_finding(failure, terms, ExplorationResult(executions=1), target, bench)
    return _with_program(replace(found, level=Level.WARNING), run.probe)


def _promise_finding(found: BrokenPromise, target: Target) -> Finding:
    """Return the finding of a promise that base keeps and head breaks."""
    given, share = given_clause(found.probe), (found.broken, found.kept)
    return comparison_finding(
        target,
        PROMISE,
        Level.WARNING,
        messages.broken_promise(target, given, found.promise, found.ending, share),
        (found.probe, Violates(found.ending.condition), found.promise.name),
        {
            "property": found.promise.name,
            "arguments": {},
            "base": f"holds for all {found.kept} programs asked",
            "head": found.ending.detail,
            "inputs": found.kept,
            "changed": found.broken,
        },
    )


def _with_smallest_program(finding: Finding, bench: Executor) -> Finding:
    """Return a finding with the smallest program that shows it, and evidence that names it."""
    return _with_program(finding, _smallest(finding.probes[0], finding.criterion, bench))


def _with_program(finding: Finding, probe: Probe) -> Finding:
    program = probe.program
    assert program is not None
    evidence: dict[str, Any] = {
        **finding.evidence,
        "driver": program.place,
        "variation": program.variation,
        "code": program.source,
    }
    return replace(finding, probes=(probe,), evidence=evidence)


def _smallest(probe: Probe, criterion: Criterion, bench: Executor) -> Probe:
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
        if _is_shown(shorter, criterion, bench):
            probe = shorter
    return probe


def _is_shown(probe: Probe, criterion: Criterion, bench: Executor) -> bool:
    """Return whether head shows a finding by a program that base runs."""
    if not is_shown(criterion, bench.run([probe])):
        return False
    bases = bench.run_on_base([probe])
    return bases is not None and isinstance(bases[0].ending, Returned)
