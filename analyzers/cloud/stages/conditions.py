"""Conditions that no answer steers, and classes that no API answers."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.classes import wrong_classes
from analyzers.cloud.judges.constant import constant_conditions, exhausted_branches, opposed
from analyzers.vocabulary import Constant, Misses, Verdict


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
        yield finding


def exhausted(look: Examination) -> Iterator[Verdict]:
    """Branches whose whole bounded answer space was searched in vain."""
    look.prove(set(look.searched.exhausted) - look.points)
    for finding in exhausted_branches(look.target, look.searched, look.executed):
        assert isinstance(finding.criterion, Constant)
        if finding.criterion.goal.decision_id not in look.closed:
            yield finding
