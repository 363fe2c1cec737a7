"""Functions of neural-network code, crashed with valid inputs: the method of aNNoTest.

What a function takes is read from annotations or inferred; inputs are drawn
from it in the sandbox; what fails is shrunk, and told only where the input is
certainly valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.code_errors import ObservedError, code_error, is_own_error, respelled
from analyzers.inference.exploration import (
    TIMEOUT,
    exploration_of,
    is_explorable,
    is_script,
    target_contract,
)
from analyzers.inference.function_contracts import (
    FunctionContract,
    NoContractError,
    function_contract,
)
from analyzers.inference.inference_messages import doubt_sentence
from analyzers.inference.input_validity import is_certain, one_failure_per_line, returns
from analyzers.inference.widening import widened_contract
from analyzers.ports import Executor
from analyzers.properties.base_comparison import changed_findings
from analyzers.properties.messages import does
from analyzers.properties.project_calls import failing_project_calls
from analyzers.properties.property_findings import NAME, failure_finding, unmet, unreadable
from analyzers.properties.removed_names import as_removed_name
from analyzers.vocabulary import (
    Crashes,
    Died,
    ExplorationResult,
    Failure,
    Finding,
    Level,
    Probe,
    Raised,
    Reason,
    Skipped,
    Target,
    Verdict,
)

OURS = re.compile(r"inputs cannot be drawn: (?!Unsatisfiable|InvalidArgument)")
"""An obstacle that is our strategies' own failure: no annotation asked for too much."""


class PropertiesAnalyzer:
    """Finds valid inputs under which a function fails."""

    name = NAME

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not is_explorable(target, bench):
            return
        for verdict in _tested(target, bench):
            if isinstance(verdict, Finding) and isinstance(verdict.criterion, Crashes):
                yield as_removed_name(verdict, bench)
            else:
                yield verdict


def _tested(target: Target, bench: Executor) -> Iterator[Verdict]:
    """Yield what is wrong with the annotations, or else what valid inputs show."""
    wrong = () if is_script(target) else tuple(unreadable(target, bench))
    yield from wrong
    if wrong:
        return
    try:
        terms = target_contract(target, bench)
    except NoContractError as reason:
        yield from _or_witnessed([Skipped(NAME, target.id, str(reason))], target, bench)
        return
    explored = bench.explore(target, exploration_of(terms, target, bench))
    told = list(_told(explored, terms, target, bench))
    further = _explored_as_on_base(target, terms, bench)
    passing = [*explored.passing, *(further.passing if further else ())]
    told += _regressions(further, terms, target, bench) if further else ()
    told += changed_findings(target, passing, bench)
    yield from told if terms.given else _or_witnessed(told, target, bench)


def _explored_as_on_base(
    target: Target, terms: FunctionContract, bench: Executor
) -> ExplorationResult | None:
    """Return what head does with inputs of base's contract, widened: base decides which are valid.

    A change that needs more of its inputs narrows the contract that is inferred from it.
    """
    if target.reason is not Reason.CHANGED or is_script(target) or bench.base(target.path) is None:
        return None
    try:
        before = function_contract(target, bench, on_base=True)
    except NoContractError:
        return None
    contract = widened_contract(before)
    if contract == terms.contract or terms.given:
        return None
    request = exploration_of(before, target, bench)
    return bench.explore(
        target, replace(request, contract=contract, examples=request.examples // 2)
    )


def _regressions(
    explored: ExplorationResult, terms: FunctionContract, target: Target, bench: Executor
) -> Iterator[Verdict]:
    """Yield the findings of failures of inputs that base takes."""
    for failure in one_failure_per_line(explored.failures):
        if returns(bench.run_on_base([failure.probe])):
            finding = _judged(failure, explored, terms, target, bench)
            if isinstance(finding, Finding):
                bench.keep(target, [failure.probe])
                yield finding


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
    if is_certain(failure, terms, explored, before, text):
        ending = failure.run.ending
        repair = respelled(ending, text) if isinstance(ending, Raised) else None
        return replace(finding, suggestion=repair)
    if is_own_error(failure.run, bench):
        runs = max(failure.seen, explored.executions - explored.refused)
        return code_error(
            NAME, target, ObservedError(failure.probe, failure.run, failure.seen, runs), bench
        )
    if isinstance(failure.run.ending, Died):
        evidence = {**finding.evidence, "doubt": doubt_sentence(failure, terms)}
        return replace(finding, level=Level.WARNING, evidence=evidence)
    where = f"it {does(failure.run.ending)} at {finding.path}:{finding.line}"
    return Skipped(NAME, target.id, f"{where}, but {doubt_sentence(failure, terms)}")
