"""What to ask the sources for: the readings that the branches wait for."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import catalogue
from analyzers.cloud.answers import TEXT_TASKS
from analyzers.cloud.examination import Examination
from analyzers.cloud.wishes import unconfirmed_wishes, wishes
from analyzers.vocabulary import Verdict

SHOWN = frozenset({"labels", "objects", "caption", "faces"})
JUDGED_BY_RECALL = TEXT_TASKS | SHOWN | {"classify", "entities", "chat"}


def wished(look: Examination) -> Iterator[Verdict]:
    """Make the wishes: for branches that no lint or proof has closed."""
    exhausted = {g.decision_id for g in look.target.goals if g.id in look.searched.exhausted}
    judged = [api for api in look.asked if api.task in JUDGED_BY_RECALL]
    names = {api.name for api in judged}
    found = [
        *wishes(look.target, look.replayed, catalogue.load(), look.bench),
        *unconfirmed_wishes(look.target, look.searched, look.template, judged),
    ]
    look.wishes += [
        wish
        for wish in found
        if wish.wanted.api in names and wish.branch.decision_id not in look.closed | exhausted
    ]
    yield from ()
