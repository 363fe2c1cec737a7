"""Misuses of ML APIs that runs on made answers show (rule ``cloud/misuse``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from analyzers.cloud.examination import Examination
from analyzers.cloud.misuses.misuse import MisuseContext
from analyzers.cloud.misuses.repeated_questions import repetitions
from analyzers.cloud.misuses.score_scales import wrong_scales
from analyzers.cloud.misuses.text_comparisons import enums_as_texts, numbers_as_texts
from analyzers.cloud.misuses.unread_errors import unread_errors
from analyzers.cloud.misuses.words_within_words import words_within_words
from analyzers.cloud.stages.constant_branches import opposed
from analyzers.vocabulary import Constant, Finding, Verdict


def misuses(look: Examination) -> Iterator[Verdict]:
    """Yield the findings of comparisons that no answer changes and of requests in vain.

    A comparison of which a constant condition says enough is left out, and no
    more is said of a decision in which a misuse was found.
    """
    case = MisuseContext(look.target, tuple(look.executed), look.bench)
    comparing = chain(enums_as_texts(case), wrong_scales(case), numbers_as_texts(case))
    comparing = chain(comparing, words_within_words(case))
    for finding in comparing:
        if not _closed(look, finding):
            yield finding
    yield from repetitions(case)
    yield from unread_errors(case, look.template)


def _closed(look: Examination, finding: Finding) -> bool:
    """Close the finding's decision; return whether it was closed before."""
    goals = finding.criterion.goals
    known = any(goal.decision_id in look.closed for goal in goals)
    look.closed.update(goal.decision_id for goal in goals)
    if isinstance(finding.criterion, Constant):
        look.prove({opposed(goal).id for goal in goals})
    return known
