"""Makes witnesses that a person can look for: short, plain, confirmed."""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Optional, Tuple

from .campaign import Campaign, Candidate, Found, Stopwatch, usable
from .harvest import Pool
from .models.base import weight

SECONDS = 1.0
MOST_TRIED = 200
Holds = Callable[[Candidate], bool]


def simplified(campaign: Campaign, candidate: Candidate, holds: Holds) -> Candidate:
    """The simplest candidate found by replay for which ``holds`` still holds."""
    watch = Stopwatch(SECONDS)
    pool = campaign.pool
    tried: Dict[Tuple[str, ...], None] = {}
    improved = True
    while improved and len(tried) < MOST_TRIED and not watch.over():
        improved = False
        for simpler in _simpler(campaign, candidate):
            key = tuple(map(repr, (simpler.plan, simpler.literals)))
            if len(tried) >= MOST_TRIED or watch.over():
                break
            if key in tried or _weight(simpler, pool) >= _weight(candidate, pool):
                continue
            tried[key] = None
            if holds(simpler):
                candidate, improved = simpler, True
                break
    return _likelier(campaign, candidate, holds)


def confirm(campaign: Campaign, number: int, candidate: Candidate) -> Optional[Found]:
    """A simplified witness of a goal, replayed with real messages."""
    small = simplified(campaign, candidate, lambda c: number in campaign.hits(c))
    for each in (small, candidate):
        result, script = campaign.confirmed(each)
        if usable(result) and number in result.hits:
            return Found(each, script, confirmed=True)
    return None


def _weight(candidate: Candidate, pool: Pool) -> Tuple[int, ...]:
    return (len(candidate.literals), *weight(list(candidate.plan.values()), pool))


def _simpler(campaign: Campaign, candidate: Candidate) -> Iterator[Candidate]:
    for name in candidate.literals:
        kept = {n: source for n, source in candidate.literals.items() if n != name}
        yield Candidate(candidate.plan, kept)
    for api, answers in candidate.plan.items():
        rest = {name: planned for name, planned in candidate.plan.items() if name != api}
        yield Candidate(rest, candidate.literals)
        if len(answers) > 1:
            yield from (candidate.answering(api, one) for one in answers)
            yield candidate.answering(api, *answers[:-1])
        for at, knobs in enumerate(answers):
            for simpler in campaign.models[api].simpler(knobs, campaign.pool):
                changed: List[object] = [*answers[:at], simpler, *answers[at + 1 :]]
                yield candidate.answering(api, *changed)


def _likelier(campaign: Campaign, candidate: Candidate, holds: Holds) -> Candidate:
    """The same witness with more ordinary values, where they still reach the goal."""
    for api, answers in candidate.plan.items():
        for at, knobs in enumerate(answers):
            for likelier in campaign.models[api].likelier(knobs):
                changed = candidate.answering(api, *answers[:at], likelier, *answers[at + 1 :])
                if likelier != knobs and holds(changed):
                    candidate = changed
                    break
    return candidate
