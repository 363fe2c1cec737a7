"""Functions of neural-network code, crashed with valid inputs: the method of aNNoTest.

What a function takes is read from annotations or inferred; inputs are drawn
from it in the sandbox; what fails is shrunk, and told only where the input is
certainly valid.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.code_errors import ObservedError, code_error, is_own_error, respelled
from analyzers.guest.annotations.annotation_reader import read
from analyzers.inference.constraint_sources.guard_facts import asserted_shapes
from analyzers.inference.exploration import (
    LEAST_SECONDS,
    SECONDS,
    TIMEOUT,
    exploration_of,
    is_explorable,
    is_script,
    target_contract,
)
from analyzers.inference.facts import ProjectTexts
from analyzers.inference.function_contracts import (
    FunctionContract,
    NoContractError,
    function_contract,
)
from analyzers.inference.function_lookup import find_function
from analyzers.inference.inference_messages import doubt_sentence
from analyzers.inference.input_validity import (
    fails_always,
    is_certain,
    mixed_arguments,
    number_between,
    one_failure_per_line,
    rests_on_examples,
    returns,
)
from analyzers.inference.widening import widened_contract
from analyzers.ports import Executor
from analyzers.properties.base_comparison import (
    CHANGED,
    PROMISE,
    changed_findings,
    failures_on_head,
    new_failure,
    refusal_findings,
)
from analyzers.properties.base_search import ComparedRun, compared_runs
from analyzers.properties.call_effects import effect_findings
from analyzers.properties.driver_findings import driver_findings
from analyzers.properties.driver_runs import DriverRuns
from analyzers.properties.driver_search import driver_study
from analyzers.properties.failure_shrinking import returning_on_base
from analyzers.properties.ignored_arguments import ignored_argument_findings
from analyzers.properties.messages import does
from analyzers.properties.project_calls import failing_project_calls
from analyzers.properties.property_findings import NAME, failure_finding, unmet, unreadable
from analyzers.properties.removed_names import as_removed_name
from analyzers.vocabulary import (
    Crashes,
    Died,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    Finding,
    Level,
    Probe,
    Raised,
    Reason,
    RunOutcome,
    Skipped,
    Target,
    Verdict,
)

ASKED_AT_ONCE, ASKING_SECONDS = 25, 8.0
_OTHER_RESULTS = (CHANGED, PROMISE)
OURS = re.compile(r"inputs cannot be drawn: (?!Unsatisfiable|InvalidArgument|ModuleNotFound)")
"""An obstacle that is our strategies' own failure: no annotation asked for too much."""


class PropertiesAnalyzer:
    """Finds valid inputs under which a function fails."""

    name = NAME

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not is_explorable(target, bench):
            return
        for verdict in _tested(target, bench):
            if isinstance(verdict, Finding) and _is_crash(verdict):
                yield as_removed_name(verdict, bench)
            else:
                yield verdict


def _is_crash(finding: Finding) -> bool:
    return isinstance(finding.criterion, Crashes) and not finding.criterion.refused


def _tested(target: Target, bench: Executor) -> Iterator[Verdict]:
    """Yield what is wrong with the annotations, or else what valid inputs show."""
    wrong = () if is_script(target) else tuple(unreadable(target, bench))
    yield from wrong
    if wrong:
        return
    subject = find_function(target.path, target.function, ProjectTexts(bench))
    if subject is not None and not is_script(target):
        yield from ignored_argument_findings(target, subject)
    compares = _is_compared(target, bench)
    changes = target.reason is Reason.CHANGED
    runs = driver_study(bench).runs_of(target) if changes else DriverRuns()
    shown = list(driver_findings(target, runs, bench))
    yield from shown
    if any(each.level is Level.FAILURE for each in shown):
        return
    # what a person said to be valid is not widened
    searches = compares and not _is_annotated(target, bench)
    compared = compared_runs(target, (), bench) if searches else []
    early = list(_against_base(target, (), compared, bench))
    early = [each for each in early if not _is_told(each, shown)]
    yield from early
    early = [*shown, *early]
    try:
        terms = target_contract(target, bench)
    except NoContractError as reason:
        told: list[Verdict] = [] if early else [*_against_base(target, (), compared, bench)]
        if not (compared or runs.compared or runs.alone):
            unseen = "; no example of the project that ran reaches it" if changes else ""
            told.append(Skipped(NAME, target.id, f"{reason}{unseen}"))
        yield from _or_witnessed(told, target, bench)
        return
    told = list(_drawn(target, terms, compared, bench, decided=any(map(_is_gating, early))))
    told = [each for each in told if not early or not _is_notice_of_base(each)]
    yield from told if terms.given else _or_witnessed(told, target, bench)


def _drawn(
    target: Target,
    terms: FunctionContract,
    compared: list[ComparedRun],
    bench: Executor,
    *,
    decided: bool,
) -> Iterator[Verdict]:
    """Yield what drawn inputs show: against base first, unless that is ``decided``."""
    compares = _is_compared(target, bench)
    searches = compares and not (decided or _is_annotated(target, bench))
    request = exploration_of(terms, target, bench)
    explored = bench.explore(target, _shorter(request, bench) if searches else request)
    compared += _compared(explored, target, bench) if searches else ()
    against = compares and not decided
    if against and not terms.given:
        compared += _asked(explored, bench)
    found = [*_against_base(target, explored.passing, compared, bench)] if against else []
    yield from found
    yield from effect_findings(target, explored.passing, bench)
    yield from _told(_but_for(explored, found), terms, target, bench)
    if not against or found or target.reason is not Reason.CHANGED or bench.remaining() <= 0:
        return
    further = _explored_as_on_base(target, terms, bench)
    if further is not None:
        more = _compared(further, target, bench) if searches and not compared else []
        yield from _against_base(target, further.passing, [*more, *_asked(further, bench)], bench)


def _is_told(verdict: Verdict, shown: Sequence[Finding]) -> bool:
    """Return whether the project's own programs tell already that results are others."""
    told = [each for each in shown if each.rule in _OTHER_RESULTS]
    again = isinstance(verdict, Finding) and verdict.rule in _OTHER_RESULTS and bool(told)
    return again and (not _is_gating(verdict) or any(map(_is_gating, told)))


def _is_notice_of_base(verdict: Verdict) -> bool:
    of_base = isinstance(verdict, Finding) and verdict.rule == CHANGED
    return of_base and not _is_gating(verdict)


def _compared(explored: ExplorationResult, target: Target, bench: Executor) -> list[ComparedRun]:
    drawn = [*explored.passing, *(each.probe for each in explored.failures)]
    return compared_runs(target, drawn, bench)


def _asked(explored: ExplorationResult, bench: Executor) -> list[ComparedRun]:
    """Return the runs of drawn inputs that head fails with or refuses, and base takes."""
    probes = [replace(each, observed=True, ensures=()) for each in explored.failing]
    until = time.monotonic() + min(ASKING_SECONDS, bench.remaining() / 4)
    found: list[ComparedRun] = []
    for start in range(0, len(probes), ASKED_AT_ONCE):
        if start and time.monotonic() > until:
            break
        found += returning_on_base(probes[start : start + ASKED_AT_ONCE], bench)
    return found


def _but_for(explored: ExplorationResult, told: Sequence[Finding]) -> ExplorationResult:
    """Return what was explored without the failures at lines that are told."""
    lines = {(each.path, each.line) for each in told if _is_crash(each)}
    left = [e for e in explored.failures if _line(e.run.ending) not in lines]
    return replace(explored, failures=tuple(left))


def _line(ending: RunOutcome) -> tuple[str, int] | None:
    return (ending.path, ending.line) if isinstance(ending, Raised) else None


def _shorter(request: ExplorationRequest, bench: Executor) -> ExplorationRequest:
    """Return a request for the time that comparing with base leaves to drawing."""
    return replace(request, seconds=max(LEAST_SECONDS, min(SECONDS / 2, bench.remaining() / 4)))


def _is_gating(verdict: Verdict) -> bool:
    return isinstance(verdict, Finding) and verdict.level is not Level.NOTICE


def _is_annotated(target: Target, bench: Executor) -> bool:
    return bool(read(bench.source(target.path)).functions.get(target.function))


def _is_compared(target: Target, bench: Executor) -> bool:
    return not is_script(target) and bench.base(target.path) is not None


def _against_base(
    target: Target, passing: Sequence[Probe], compared: Sequence[ComparedRun], bench: Executor
) -> Iterator[Finding]:
    """Yield what inputs show that base takes: failures, then other results."""
    for failure in one_failure_per_line(failures_on_head(compared, bench)):
        finding = new_failure(failure, compared, target, bench)
        bench.keep(target, finding.probes)
        yield finding
    yield from refusal_findings(target, compared)
    yield from changed_findings(target, passing, compared, bench)


def _explored_as_on_base(
    target: Target, terms: FunctionContract, bench: Executor
) -> ExplorationResult | None:
    """Return what head does with inputs of base's contract, widened: base decides which are valid.

    A change that needs more of its inputs narrows the contract that is inferred from it.
    """
    try:
        before = function_contract(target, bench, on_base=True)
    except NoContractError:
        return None
    contract = widened_contract(before)
    if contract == terms.contract or terms.given:
        return None
    request = exploration_of(before, target, bench)
    return bench.explore(
        target, replace(request, contract=contract, first=(), examples=request.examples // 2)
    )


def _or_witnessed(told: Sequence[Verdict], target: Target, bench: Executor) -> Iterator[Verdict]:
    yield from (each for each in told if isinstance(each, Finding))
    places = {(each.path, each.line) for each in told if isinstance(each, Finding)}
    shown = [
        each
        for each in failing_project_calls(target, bench)
        if (each.path, each.line) not in places
    ]
    yield from shown
    lines = [f" at {each.path}:{each.line}," for each in shown]
    for each in told:
        if isinstance(each, Skipped) and not any(line in each.reason for line in lines):
            yield each
    if shown:
        bench.keep(target, [probe for each in shown for probe in each.probes])


def _told(
    explored: ExplorationResult, terms: FunctionContract, target: Target, bench: Executor
) -> Iterator[Verdict]:
    if explored.unmet is not None:
        about = unmet(target, bench, *explored.unmet) if terms.given else None
        yield about or Skipped(NAME, target.id, f"no input meets {': '.join(explored.unmet)}")
        return
    if explored.obstacle is not None:
        ours = OURS.match(explored.obstacle) is not None
        yield Skipped(NAME, target.id, explored.obstacle, our_fault=ours)
    kept: list[Probe] = []
    for failure in one_failure_per_line(explored.failures):
        verdict = _judged(failure, explored, terms, target, bench)
        if isinstance(verdict, Finding):
            kept.append(failure.probe)
        yield verdict
    if kept:
        bench.keep(target, kept)
    if explored.timed_out and not explored.passed:
        reason = f"every input took longer than {terms.timeout or TIMEOUT:g} s"
        yield Skipped(NAME, target.id, reason)


def _judged(
    failure: Failure,
    explored: ExplorationResult,
    terms: FunctionContract,
    target: Target,
    bench: Executor,
) -> Verdict:
    before = None if terms.given else bench.run_on_base([failure.probe])
    finding = failure_finding(
        failure, terms, explored, target, bench, returns_on_base=returns(before)
    )
    text = bench.source(finding.path) if finding.path in bench.paths() else ""
    where = f"it {does(failure.run.ending)} at {finding.path}:{finding.line}"
    died = isinstance(failure.run.ending, Died)
    unsure = rests_on_examples(failure, terms) or mixed_arguments(failure, terms) is not None
    if before and not returns(before) and unsure and not died:
        return Skipped(NAME, target.id, f"{where}, on base too: that the input is valid is unsure")
    if is_certain(failure, terms, explored, before, text):
        ending = failure.run.ending
        repair = respelled(ending, text) if isinstance(ending, Raised) else None
        finding = replace(finding, suggestion=repair)
        unseen = number_between(failure, terms) or mixed_arguments(failure, terms)
        between = not returns(before) and unseen is not None
        return _doubtful(finding, failure, terms) if between else finding
    if is_own_error(failure.run, bench):
        runs = max(failure.seen, explored.executions - explored.refused)
        return code_error(
            NAME, target, ObservedError(failure.probe, failure.run, failure.seen, runs), bench
        )
    subject = None if before else find_function(target.path, target.function, ProjectTexts(bench))
    asserted = frozenset[str]() if subject is None else asserted_shapes(subject)
    if died or fails_always(failure, terms, explored, asserted):
        return _doubtful(finding, failure, terms)
    return Skipped(NAME, target.id, f"{where}, but {doubt_sentence(failure, terms)}")


def _doubtful(finding: Finding, failure: Failure, terms: FunctionContract) -> Finding:
    """Return a finding that gates nothing, with what is doubtful of its input."""
    evidence = {**finding.evidence, "doubt": doubt_sentence(failure, terms)}
    return replace(finding, level=Level.WARNING, evidence=evidence)
