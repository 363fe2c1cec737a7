"""Inputs for branches that no input has reached yet (Keeper: a branch is covered by inputs).

A branch such as ``score < 0.4`` waits for nothing that could be counted as
found or missed.  An input with what the search's answer says may lead there
all the same: it is run for the crashes behind that branch, and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.answer_crashes import ExecutedProbe, made_up
from analyzers.cloud.api_answers import (
    FREE_FORM_TASKS,
    TEXT_TASKS,
    answers_to,
    meaning_of,
    said,
    sample_script,
    saying,
)
from analyzers.cloud.examination import Examination
from analyzers.cloud.objectives import (
    Objective,
    has_slot,
    objective_for,
    objectives,
    plausible,
    shows_pictures,
    unconfirmed_objectives,
)
from analyzers.criteria import decision_point
from analyzers.vocabulary import EdgeCase, Exchange, Goal, Input, InputRequest, NotRun, Verdict


def witnesses(look: Examination) -> Iterator[Verdict]:
    """Replay the confirmed witnesses; no verdict yet: inputs come first."""
    known = {goal.id for goal in look.target.goals}
    found = [w for w in look.searched.witnesses if w.confirmed and w.goal in known]
    probes = [witness.probe for witness in found]
    runs = look.bench.run(probes)
    look.executed += zip(probes, runs, strict=True)
    ordinary = sample_script(look.asked)
    if ordinary is not None:
        everyday = look.template.answered(ordinary)
        look.executed += zip([everyday], look.bench.run([everyday]), strict=True)
    look.crashes.record(look.executed)
    look.replayed += zip(found, runs, strict=True)
    if not runs:
        plain = [look.template.answered(script) for script in _written(look.asked)]
        look.crashes.record(list(zip(plain, look.bench.run(plain), strict=True)))
    yield from ()


PLAIN_TEXTS = ("Yes.", "one, two, three, four", "one\ntwo\nthree\nfour", "7", '{"answer": "text"}')
"""Texts of a language model in forms that code parses: a word, lists, a number, JSON."""


def _written(asked: Sequence[Api]) -> Iterator[tuple[Exchange, ...]]:
    """Yield plain answers, where each API that is asked is a language model."""
    usual = catalogue.load_catalogue().ordinary
    meanings = [(api, meaning_of(api)) for api in asked if api.task in FREE_FORM_TASKS]
    if not meanings or len(meanings) < len(asked):
        return
    for text in PLAIN_TEXTS:
        yield tuple(
            Exchange(api.name, "", saying(meaning, usual[api.name], text))
            for api, meaning in meanings
            if meaning is not None and api.name in usual
        )


PICTURE_TASKS = frozenset({"labels", "objects", "caption", "faces"})
JUDGED_BY_RECALL = TEXT_TASKS | PICTURE_TASKS | {"classify", "entities", "chat"}


def find_objectives(look: Examination) -> Iterator[Verdict]:
    """Make the objectives: for branches that no lint or proof has closed."""
    exhausted = {g.decision_id for g in look.target.goals if g.id in look.searched.exhausted}
    judged = [api for api in look.asked if api.task in JUDGED_BY_RECALL]
    names = {api.name for api in judged}
    found = [
        *objectives(look.target, look.replayed, catalogue.load_catalogue(), look.bench),
        *unconfirmed_objectives(look.target, look.searched, look.template, judged),
    ]
    look.objectives += [
        objective
        for objective in found
        if objective.wanted.api in names
        and objective.branch.decision_id not in look.closed | exhausted
    ]
    yield from ()


EVERYDAY = ("Thank you for your visit", "see you on Monday")
"""What is written and said where nobody waits for it."""
SHOWN = frozenset({"labels", "objects"})
OTHER_CLASSES = 2


def unrelated(look: Examination) -> Iterator[Verdict]:
    """Run inputs with other readings; the crashes among them."""
    for api in look.asked if has_slot(look.template) else ():
        objectives = _wanted(look, api, _readings(look, api))
        for wanted in objectives:
            if look.bench.remaining() <= 0:
                return
            count = -(-look.bench.plan.inputs // len(objectives))
            done = look.given(wanted, count, look.template)
            look.unmeant += done
            yield from look.ran([probe for probe, _ in done], [run for _, run in done])


def _readings(look: Examination, api: Api) -> tuple[str, ...]:
    """Return what some branch waits for, as objectives and as constants near the goals say."""
    wished = [w.wanted.reading or "" for w in look.objectives if w.wanted.api == api.name]
    constants = [word for words in look.searched.constants.values() for word in words]
    return tuple(dict.fromkeys([*wished, *constants]))


def _wanted(look: Examination, api: Api, readings: tuple[str, ...]) -> list[InputRequest]:
    meaning = meaning_of(api)
    if meaning is None or not readings:
        return []
    if meaning.readings:
        others = [r for r in dict.fromkeys(meaning.readings.values()) if r and r not in readings]
        return [InputRequest(api.name, reading) for reading in others[:OTHER_CLASSES]]
    if meaning.task in SHOWN:
        return [InputRequest(api.name, None, other_than=readings)]
    if meaning.inside and shows_pictures(look.template):
        return [InputRequest(api.name, None, other_than=readings, task="labels")]
    if meaning.task not in TEXT_TASKS:
        return []
    folded = [reading.casefold() for reading in readings]
    return [
        InputRequest(api.name, text)
        for text in EVERYDAY
        if not any(reading in text.casefold() for reading in folded)
    ]


EMPTY_INPUTS = 3
UNUSUAL_INPUTS: Mapping[EdgeCase, int] = {
    EdgeCase.SEVERAL: 2,
    EdgeCase.FOREIGN: 2,
    EdgeCase.HUGE: 1,
}


def empty_inputs(look: Examination) -> Iterator[Verdict]:
    """Run inputs in which there is nothing to find; the crashes among them."""
    made = _run_edge_cases(look, EdgeCase.NOTHING, EMPTY_INPUTS, set())
    look.empty += [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]
    yield from look.ran([probe for probe, _ in made], [run for _, run in made])
    for reason in _reasons(made)[:1]:
        yield look.skipped(reason)


def unusual_inputs(look: Examination) -> Iterator[Verdict]:
    """Run inputs with several things, in other languages, or far larger than usual.

    Only the crashes among them tell anything.  A service may refuse what is
    too large for it; else what was not run is said once, unless the inputs
    before could not be run for the same reason.
    """
    heard = set(_reasons(look.executed))
    seen: set[str] = set()
    unsaid: list[str] = []
    for corner, count in UNUSUAL_INPUTS.items():
        if look.bench.remaining() <= 0:
            return
        made = _run_edge_cases(look, corner, count, seen)
        done = [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]
        asked = [(p, r) for p, r in done if r.exchanges or corner is not EdgeCase.HUGE]
        yield from look.ran([probe for probe, _ in asked], [run for _, run in asked])
        if corner is not EdgeCase.HUGE:
            unsaid += [reason for reason in _reasons(made) if reason not in heard]
    for reason in unsaid[:1]:
        yield look.skipped(reason)


def _run_edge_cases(
    look: Examination, corner: EdgeCase, count: int, seen: set[str]
) -> list[ExecutedProbe]:
    """Return recorded runs of inputs for each API that is asked, no input twice."""
    items: list[Input] = []
    for api in look.asked if has_slot(look.template) else ():
        supply = look.bench.inputs(InputRequest(api.name, None, corner=corner), count)
        items += [item for item in supply.inputs if item.digest not in seen]
        seen.update(item.digest for item in supply.inputs)
    probes = [look.template.with_input(item) for item in items]
    runs = look.bench.run(probes)
    return [(p.answered(r.exchanges), r) for p, r in zip(probes, runs, strict=True)]


def _reasons(made: list[ExecutedProbe]) -> list[str]:
    return list(dict.fromkeys(r.ending.reason for _, r in made if isinstance(r.ending, NotRun)))


MOST_READINGS = 2
SHOWN_TOGETHER = frozenset({"labels", "objects"})
MOST_TOGETHER = 3
MOST_ROUNDS = 10
SENTENCE = "I would like to have"


def reaching(look: Examination) -> Iterator[Verdict]:
    """Run inputs for each branch that answers reach and no input did; the crashes among them."""
    for goal in look.target.goals:
        if goal.clause is not None:
            continue
        for objective in _objectives(look, goal):
            yield from _run(look, goal, objective)


def _run(look: Examination, goal: Goal, objective: Objective) -> Iterator[Verdict]:
    """Run inputs until one reaches the branch; texts of a known feeling are there in plenty."""
    inputs = look.bench.plan.inputs
    plenty = catalogue.load_catalogue()[objective.wanted.api].task == "sentiment"
    for tried in range(0, inputs * (MOST_ROUNDS if plenty else 1), inputs):
        if look.bench.remaining() <= 0 or _is_reached(look, goal):
            return
        made = look.given(objective.wanted, tried + inputs, objective.template, tried)
        yield from look.ran([probe for probe, _ in made], [run for _, run in made])
        if not made:
            return


def _is_reached(look: Examination, goal: Goal) -> bool:
    point = decision_point(goal)
    return any(point in run.hits and not made_up(probe) for probe, run in look.executed)


def _objectives(look: Examination, goal: Goal) -> list[Objective]:
    """Return the different readings with which the search reached a branch."""
    point = decision_point(goal)
    made = [
        objective
        for witness, run in look.replayed
        if point in run.hits
        for objective in _with_all(objective_for(goal, witness, run, catalogue.load_catalogue()))
    ]
    tried = {(objective.wanted.api, objective.wanted.reading) for objective in look.objectives}
    new: dict[tuple[str, str | None], Objective] = {}
    for objective in made:
        if (key := (objective.wanted.api, objective.wanted.reading)) not in tried:
            new.setdefault(key, objective)
    return list(new.values())[:MOST_READINGS]


def _with_all(objective: Objective | None) -> Iterator[Objective]:
    """Yield an objective, and the one for all that its answer shows or for a whole sentence.

    A word alone is often misheard.
    """
    if objective is None:
        return
    yield objective
    api = catalogue.load_catalogue()[objective.wanted.api]
    if api.task == "speech" and (objective.wanted.reading or "").isalpha():
        sentence = f"{SENTENCE} {objective.wanted.reading}"
        yield replace(objective, wanted=replace(objective.wanted, reading=sentence))
    meaning = meaning_of(api, objective.wanted.task)
    answers = answers_to(api.name, objective.template.script or ())
    shown = dict.fromkeys(word for answer in answers for word in said(meaning, answer))
    if (
        api.task in SHOWN_TOGETHER
        and 1 < len(shown) <= MOST_TOGETHER
        and all(map(plausible, shown))
    ):
        yield replace(objective, wanted=replace(objective.wanted, reading=" and ".join(shown)))
