"""Conditions that no answer steers, and classes that no API answers."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.classes import wish_of, wrong_classes
from analyzers.cloud.judges.constant import constant_conditions, exhausted_branches, opposed
from analyzers.cloud.repairs.labelling.respelling import tried_on
from analyzers.cloud.trials import try_out
from analyzers.cloud.wishes import has_slot
from analyzers.vocabulary import Constant, Finding, Goal, Misses, Verdict


def constants(look: Examination) -> Iterator[Verdict]:
    """Conditions that are constant; exhausted ones are left to the end."""
    for finding in constant_conditions(look.target, look.executed, look.bench):
        assert isinstance(finding.criterion, Constant)
        always = finding.criterion.goal
        if always.clause is None:
            look.closed.add(always.decision_id)
        look.prove({opposed(always).id})
        yield finding


def classes(look: Examination) -> Iterator[Verdict]:
    """Comparisons with another spelling of a class."""
    for finding in wrong_classes(look.target, look.searched, look.template, look.asked, look.bench):
        assert isinstance(finding.criterion, Misses)
        look.closed.add(finding.criterion.goal.decision_id)
        yield from _tried(look, finding, finding.criterion.goal)


def _tried(look: Examination, finding: Finding, goal: Goal) -> Iterator[Verdict]:
    """Run inputs of the class that is suggested; then the finding, to be verified on them."""
    api = look.asked[0]
    wish = wish_of(finding, goal, look.template, api) if finding.candidates else None
    if wish is not None and has_slot(look.template):
        trial = try_out(wish, look.bench.plan.inputs, api, look.bench, look.inverter)
        yield from look.ran(trial.probes, trial.runs)
        finding = tried_on(finding, trial, look.bench)
    yield finding


def exhausted(look: Examination) -> Iterator[Verdict]:
    """Branches whose whole bounded answer space was searched in vain."""
    look.prove(set(look.searched.exhausted) - look.points)
    for finding in exhausted_branches(look.target, look.searched, look.executed):
        assert isinstance(finding.criterion, Constant)
        if finding.criterion.goal.decision_id not in look.closed:
            yield finding
