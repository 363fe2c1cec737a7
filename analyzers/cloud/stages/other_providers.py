"""The inputs that miss a branch, with the answers of other providers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.other_providers import in_terms_of, with_others
from analyzers.cloud.sequential import FEWEST_INPUTS
from analyzers.judging import reached, tells
from analyzers.vocabulary import Exchange, Finding, JsonObject, Misses, Probe, Status, Verdict


def compared(verdict: Verdict, look: Examination) -> Verdict:
    """A low recall with what it would be with each other provider that may be asked."""
    if not isinstance(verdict, Finding) or verdict.rule != "cloud/low-recall":
        return verdict
    if verdict.status is Status.FIXED:
        return verdict
    ours = _asked(verdict.probes)
    if ours is None:
        return verdict
    shares = {
        name: share
        for name in look.bench.others(ours.name)
        if (share := _share(look, verdict, ours, catalogue.load()[name])) is not None
    }
    return with_others(verdict, shares)


def _asked(probes: Sequence[Probe]) -> Api | None:
    """The API that all probes ask; ``None`` where they ask several, or something else too."""
    names = {exchange.api for probe in probes for exchange in probe.script or ()}
    return catalogue.load().apis.get(names.pop()) if len(names) == 1 else None


def _share(look: Examination, finding: Finding, ours: Api, theirs: Api) -> tuple[int, int] | None:
    """How many of the inputs would reach the branch, of how many that were answered."""
    assert isinstance(finding.criterion, Misses)
    goal = finding.criterion.goal
    answered = [_answered(look, probe, ours, theirs) for probe in finding.probes]
    runs = look.bench.run([probe for probe in answered if probe is not None])
    told = [run for run in runs if tells(goal, run)]
    if len(told) < FEWEST_INPUTS:
        return None
    return sum(reached(goal, run) for run in told), len(told)


def _answered(look: Examination, probe: Probe, ours: Api, theirs: Api) -> Probe | None:
    """The probe with their answer in the place of each of ours."""
    if len(probe.inputs) != 1 or not probe.script:
        return None
    answer = look.bench.ask(theirs.name, probe.inputs[0])
    if answer is None:
        return None
    script = [_translated(exchange, ours, theirs, answer) for exchange in probe.script]
    said = tuple(exchange for exchange in script if exchange is not None)
    return replace(probe, script=said) if len(said) == len(script) else None


def _translated(exchange: Exchange, ours: Api, theirs: Api, answer: JsonObject) -> Exchange | None:
    said = in_terms_of(ours, theirs, exchange.answer, answer)
    return None if said is None else exchange.answering(said)
