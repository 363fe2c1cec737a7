"""Coverage-guided replays: answers made from constants, then mutated."""

from __future__ import annotations

import itertools
from typing import Dict, Iterator, List, Sequence

from .search_campaign import AnswerCandidate, SearchCampaign, Stopwatch

MOST_RUNS = 3_000
MOST_ANSWERS = 3
SEEDS_FIRST = 600
ENOUGH_FOR_CRASHES = 500


def mutate(campaign: SearchCampaign, variable: Sequence[str], seconds: float) -> None:
    """Replay candidates until all goals are reached, or so many that no more are expected.

    ``variable`` names the literal parameters that may vary.  ``seconds`` of work cut it
    short, which is noted: how far that goes is no matter of the seed alone.
    """
    watch = Stopwatch(seconds)
    corpus: List[AnswerCandidate] = []
    seeds, mutants = _seeds(campaign), _mutants(campaign, corpus, variable)
    candidates = itertools.chain(
        [AnswerCandidate()],
        itertools.islice(seeds, SEEDS_FIRST),
        _alternating(seeds, mutants),
    )
    for number, candidate in enumerate(itertools.islice(candidates, MOST_RUNS)):
        if number > ENOUGH_FOR_CRASHES and not campaign.missing:
            return
        if watch.over():
            campaign.notes.append(f"the search was cut short: {number} runs took {seconds:g} s")
            return
        if campaign.run(candidate):
            corpus.append(candidate)


def _alternating(
    seeds: Iterator[AnswerCandidate], mutants: Iterator[AnswerCandidate]
) -> Iterator[AnswerCandidate]:
    for mutant in mutants:
        yield mutant
        yield from itertools.islice(seeds, 1)


def _seeds(campaign: SearchCampaign) -> Iterator[AnswerCandidate]:
    """The seeds of every API, the others answering so that it is asked."""
    done: Dict[str, None] = {}
    while True:
        waiting = [api for api in campaign.apis if api not in done]
        if not waiting:
            return
        done[waiting[0]] = None
        for knobs in campaign.models[waiting[0]].seeds(campaign.pool):
            yield campaign.asked[waiting[0]][1].answering(waiting[0], knobs)


def _mutants(
    campaign: SearchCampaign, corpus: List[AnswerCandidate], variable: Sequence[str]
) -> Iterator[AnswerCandidate]:
    """Endless mutants of what reached something new, recent finds preferred."""
    rng = campaign.rng
    while campaign.apis or variable:
        base = _chosen(campaign, corpus)
        for _ in range(1 << rng.randrange(3)):
            if variable and (not campaign.apis or rng.random() < 0.2):
                name = rng.choice(list(variable))
                base = AnswerCandidate(base.plan, {**base.literals, name: literal(campaign, name)})
            else:
                base = _mutant(campaign, base)
        yield base


def _chosen(campaign: SearchCampaign, corpus: List[AnswerCandidate]) -> AnswerCandidate:
    rng = campaign.rng
    if not corpus:
        return AnswerCandidate()
    if rng.random() < 0.4:
        return corpus[-1 - rng.randrange(min(len(corpus), 4))]
    return rng.choice(corpus)


def _mutant(campaign: SearchCampaign, base: AnswerCandidate) -> AnswerCandidate:
    rng = campaign.rng
    api = rng.choice(campaign.apis)
    model = campaign.models[api]
    answers = list(base.plan.get(api, (model.start(),)))
    at = rng.randrange(len(answers))
    knobs = model.mutate(answers[at], rng, campaign.pool)
    more = 0.4 if campaign.asked[api][0] > 1 else 0.03
    if rng.random() < more and len(answers) < MOST_ANSWERS:
        answers.append(knobs)
    else:
        answers[at] = knobs
    return base.answering(api, *answers)


def literal(campaign: SearchCampaign, name: str) -> str:
    """A literal of the kind that a parameter has now, from the pool."""
    rng, pool = campaign.rng, campaign.pool
    now = campaign.arguments.get(name, {}).get("source", "''")
    if now in ("True", "False"):
        return rng.choice(("True", "False"))
    if now[:1] in "'\"":
        return repr(rng.choice(pool.strings))
    if now[:1] in "[(":
        count = rng.randrange(4)
        return repr([rng.choice(pool.strings) for _ in range(count)])
    numbers = pool.numbers or [0.0, 1.0]
    number = numbers[rng.randrange(1 << 30) % len(numbers)]
    return repr(number if "." in now else int(number))
