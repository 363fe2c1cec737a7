"""Calls that the project makes itself, made once more: what fails with them is the code's.

A call in the project's code, tests or documents of which all arguments are
known needs no guess at what is valid.  Where the function raises with them as
it does with drawn inputs, or in a way that no drawn input showed, the project
itself is witness.  Calls that are expected to raise, or watched for it, are
none (``inference.sites``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.criteria import crash_of
from analyzers.guest.annotations.syntax import render
from analyzers.inference.constraint_sources.call_sites import ProjectCallSite, project_call_sites
from analyzers.inference.facts import Confidence, FunctionContext, ProjectTexts
from analyzers.inference.function_contracts import FunctionContract, ParameterContract
from analyzers.inference.function_lookup import find_function
from analyzers.ports import Executor
from analyzers.properties.property_findings import failure_finding
from analyzers.vocabulary import (
    Contract,
    ExplorationResult,
    Failure,
    Finding,
    Probe,
    Raised,
    RecipeArgument,
    Target,
)

MOST = 8
"""How many calls are made."""


def failing_project_calls(target: Target, bench: Executor) -> Iterator[Finding]:
    """The failures of calls that the project makes, one for each line that raises."""
    subject = find_function(target.path, target.function, ProjectTexts(bench))
    calls = [] if subject is None or "<locals>" in target.function else known_calls(subject)
    if not calls:
        return
    probes = [_probe(target, each) for each in calls]
    runs = bench.run(probes)
    places: set[tuple[str, int]] = set()
    for call, probe, run in zip(calls, probes, runs, strict=True):
        ending = run.ending
        if not isinstance(ending, Raised) or crash_of(ending) is None:
            continue
        if (ending.path, ending.line) not in places:
            places.add((ending.path, ending.line))
            explored = ExplorationResult(executions=len(runs))
            finding = failure_finding(Failure(probe, run), _terms(call), explored, target, bench)
            yield _without_offer(finding)


def known_calls(subject: FunctionContext) -> list[ProjectCallSite]:
    """Some of the calls that are wholly known, the first and the last among them."""
    known = [each for each in project_call_sites(subject) if each.recipes is not None]
    if len(known) <= MOST:
        return known
    return [known[index * (len(known) - 1) // (MOST - 1)] for index in range(MOST)]


def _probe(target: Target, call: ProjectCallSite) -> Probe:
    assert call.recipes is not None
    return Probe(target.id, {name: RecipeArgument(text) for name, text in call.recipes.items()})


def _terms(call: ProjectCallSite) -> FunctionContract:
    said: Sequence[tuple[str, str]] = [
        (name, render(constraint)) for name, constraint in call.arguments.items()
    ]
    terms = {
        name: ParameterContract(text, call.source, Confidence.STRONG, call.where)
        for name, text in said
    }
    return FunctionContract(Contract(dict(said)), terms)


def _without_offer(finding: Finding) -> Finding:
    """One call's values are no annotation."""
    evidence = {name: each for name, each in finding.evidence.items() if name != "proposed"}
    return replace(finding, evidence=evidence)
