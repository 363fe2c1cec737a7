"""Looks for ML answers that reach the conditions of a target."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..protocol.input_paths import SERVICE, parse
from ..runtime.execution import PreparedTarget
from .answer_models.answer_model import weight
from .code_constants import ConstantPool, collect_constants, constants_near
from .input_entry import InputEntry, find_entry
from .learning.argument_learning import FOR_LEARNING
from .search_campaign import (
    AnswerCandidate,
    FoundAnswer,
    SearchCampaign,
    Stopwatch,
    end_within,
    is_crash,
    usable,
)
from .symbolic_search import SymbolicProof, explore

MOST_RUNS = 3_000
MOST_ANSWERS = 3
SEEDS_FIRST = 600
ENOUGH_FOR_CRASHES = 500
MOST_KEYS = 12
IDLE_SECONDS = 3.0
IDLE_RUNS = 100
"""Work, and runs, after which a search that reaches nothing new ends."""


def mutate(campaign: SearchCampaign, variable: Sequence[str], seconds: float) -> None:
    """Replay candidates until all goals are reached, or ``seconds`` of work are over."""
    watch, idle, reached = Stopwatch(seconds), Stopwatch(IDLE_SECONDS), 0
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
        if watch.over() or (number - reached > IDLE_RUNS and idle.over()):
            campaign.notes.append(f"the search was cut short: {number} runs reached no more")
            return
        if campaign.run(candidate):
            corpus.append(candidate)
            idle, reached = Stopwatch(IDLE_SECONDS), number


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


SECONDS = 1.0
MOST_TRIED = 200
Holds = Callable[[AnswerCandidate], bool]


def simplified(
    campaign: SearchCampaign, candidate: AnswerCandidate, holds: Holds
) -> AnswerCandidate:
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
    for api, answers in candidate.plan.items():
        for at, knobs in enumerate(answers):
            for likelier in campaign.models[api].likelier(knobs):
                changed = candidate.answering(api, *answers[:at], likelier, *answers[at + 1 :])
                if likelier != knobs and holds(changed):
                    candidate = changed
                    break
    return candidate


def confirm(
    campaign: SearchCampaign, number: int, candidate: AnswerCandidate
) -> Optional[FoundAnswer]:
    """A simplified witness of a goal, replayed with real messages."""
    small = simplified(campaign, candidate, lambda c: number in campaign.hits(c))
    for each in (small, candidate):
        result, script = campaign.confirmed(each)
        if usable(result) and number in result.hits:
            return FoundAnswer(each, script, confirmed=True)
    return None


def _weight(candidate: AnswerCandidate, pool: ConstantPool) -> Tuple[int, ...]:
    return (len(candidate.literals), *weight(list(candidate.plan.values()), pool))


def _simpler(campaign: SearchCampaign, candidate: AnswerCandidate) -> Iterator[AnswerCandidate]:
    for name in candidate.literals:
        kept = {n: source for n, source in candidate.literals.items() if n != name}
        yield AnswerCandidate(candidate.plan, kept)
    for api, answers in candidate.plan.items():
        rest = {name: planned for name, planned in candidate.plan.items() if name != api}
        yield AnswerCandidate(rest, candidate.literals)
        if len(answers) > 1:
            yield from (candidate.answering(api, one) for one in answers)
            yield candidate.answering(api, *answers[:-1])
        for at, knobs in enumerate(answers):
            for simpler in campaign.models[api].simpler(knobs, campaign.pool):
                changed: List[object] = [*answers[:at], simpler, *answers[at + 1 :]]
                yield candidate.answering(api, *changed)


Frame = Dict[str, Any]


def search(prepared: PreparedTarget, message: Mapping[str, Any]) -> Frame:
    """Answer a ``search`` frame (docs/guest-protocol.md) in a process of its own."""
    goals: Sequence[str] = message["goals"]
    end_within(message.get("seconds", math.inf))
    pool = collect_constants(
        prepared.sources, prepared.path, prepared.name, goals, prepared.namespace, prepared.root
    )
    seconds = FOR_LEARNING + message["mutation_seconds"]
    entry = find_entry(prepared, pool.raw, message.get("texts") or (), seconds)
    wishes = constants_near(prepared, goals)
    if entry.arguments is None:
        return _frame(
            None,
            wishes,
            obstacle=entry.obstacle,
            executions=entry.executions,
            crashes=[] if entry.failed is None else [_failed(*entry.failed)],
        )
    campaign = SearchCampaign(prepared, entry.arguments, goals, message["seed"])
    campaign.pool, campaign.models.keys = pool, pool.close[:MOST_KEYS]
    mutate(campaign, _variable(entry), message["mutation_seconds"])
    proof = SymbolicProof()
    if campaign.missing and campaign.apis:
        proof = explore(campaign, entry, message)
    return _frame(
        {"arguments": entry.arguments},
        wishes,
        witnesses=_witnesses(campaign),
        crashes=_crashes(campaign),
        exhausted=sorted(campaign.goals[number] for number in proof.exhausted & campaign.missing),
        bound=proof.bound,
        notes=[*campaign.notes, *([proof.note] if proof.note else [])],
        executions=entry.executions + campaign.executions,
    )


def _failed(arguments: Mapping[str, Any], ending: Mapping[str, Any]) -> Frame:
    kept = {name: _unmarked(argument) for name, argument in arguments.items()}
    return {"arguments": kept, "script": [], "ending": ending}


def _unmarked(argument: Mapping[str, Any]) -> Frame:
    """An argument without the marker that it carried."""
    return {name: value for name, value in argument.items() if name != "blob"}


def _variable(entry: InputEntry) -> List[str]:
    return [
        name
        for name, argument in (entry.arguments or {}).items()
        if argument["kind"] == "literal" and parse(name).root != SERVICE
    ]


def _witnesses(campaign: SearchCampaign) -> List[Frame]:
    frames: List[Frame] = []
    for number, candidate in sorted(campaign.first.items()):
        found = confirm(campaign, number, candidate)
        if found is not None:
            frames.append(
                {
                    "goal": campaign.goals[number],
                    "arguments": _arguments(campaign, found.candidate),
                    "script": found.script,
                    "confirmed": True,
                }
            )
    return frames


def _crashes(campaign: SearchCampaign) -> List[Frame]:
    frames: List[Frame] = []
    for place, (candidate, _) in sorted(campaign.crashes.items(), key=lambda item: item[0]):

        def same(each: AnswerCandidate, place: Any = place) -> bool:
            return bool(_place(campaign.ending(each)) == place)

        small = simplified(campaign, candidate, same)
        result, script = campaign.confirmed(small)
        if usable(result) and _place(result.ending) == place:
            arguments = _arguments(campaign, small)
            frames.append({"arguments": arguments, "script": script, "ending": result.ending})
    return frames


def _place(ending: Mapping[str, Any]) -> Any:
    if not is_crash(ending):
        return None
    return ending["exception"], ending["path"], ending["line"]


def _arguments(campaign: SearchCampaign, candidate: AnswerCandidate) -> Frame:
    literals = {
        name: {"kind": "literal", "source": source} for name, source in candidate.literals.items()
    }
    return {**campaign.arguments, **literals}


def _frame(template: Any, constants: Mapping[str, List[str]], **fields: Any) -> Frame:
    return {
        "type": "searched",
        "template": template,
        "witnesses": [],
        "crashes": [],
        "exhausted": [],
        "bound": "",
        "constants": constants,
        "obstacle": None,
        "notes": [],
        "executions": 0,
        **fields,
    }
