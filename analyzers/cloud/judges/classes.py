"""Comparisons with a class that the API does not have, such as “Positive” for “POSITIVE”.

Where the catalogue knows all classes of an API, each of them is put into an
everyday answer: if none leads to the branch, and a constant of the condition would
lead there if the API answered it, then the constant is wrong.  What is another
spelling of a class is corrected.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from analyzers import catalogue
from analyzers.catalogue import Api, Meaning
from analyzers.cloud.answers import saying
from analyzers.cloud.branches import Proof, Words, branch_finding, quoted
from analyzers.cloud.repairs.labelling.respelling import respelled
from analyzers.cloud.wishes import Wish
from analyzers.judging import decided, decision_point, reached
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Exchange,
    Finding,
    Goal,
    Level,
    Misses,
    Outcome,
    Probe,
    Run,
    Searched,
    Target,
    Wanted,
)

ALIKE = 0.75
"""How alike two words are (``difflib``) of which one is taken for the other."""
MOST_WORDS = 5
SHORTEST_BEGINNING = 3
BEGINNING = 0.8
"""The share of the shorter of two words with which both have to begin."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A constant that a branch waits for, and the class that it is taken for, if it is like one."""

    goal: Goal
    word: str
    name: str | None


def wrong_classes(
    target: Target, searched: Searched, template: Probe, apis: Sequence[Api], bench: Bench
) -> Iterator[Finding]:
    """A finding for each branch that waits for what is no class.

    ``apis``: those that the target asks; only where one alone can be meant.
    """
    meaning = apis[0].says[0] if len(apis) == 1 and apis[0].says else None
    if meaning is None or not meaning.closed:
        return
    api, usual = apis[0], catalogue.load().ordinary[apis[0].name]

    def answering(word: str) -> Probe:
        return template.answered((Exchange(api.name, "", saying(meaning, usual, word)),))

    probes = [answering(name) for name in meaning.readings]
    for goal in _unreached(target, searched):
        for mistake in _mistakes(goal, searched.constants.get(goal.id, ()), meaning):
            runs = bench.run([*probes, answering(mistake.word)])
            if _in_vain(goal, runs[:-1]) and reached(goal, runs[-1]):
                level = Level.FAILURE if goal.id in searched.exhausted else Level.WARNING
                yield _finding(target, mistake, api, probes, level, bench)
                break


def _unreached(target: Target, searched: Searched) -> Iterator[Goal]:
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        if goal.clause is None and goal.outcome is Outcome.TRUE and goal.id not in known:
            yield goal


def _mistakes(goal: Goal, words: Sequence[str], meaning: Meaning) -> list[_Mistake]:
    """The first constants next to a goal that are no classes, those first that are nearly one."""
    unknown = [word for word in words if word not in meaning.readings]
    found = [_Mistake(goal, word, _alike(word, meaning)) for word in unknown]
    return sorted(found, key=lambda mistake: mistake.name is None)[:MOST_WORDS]


def _alike(word: str, meaning: Meaning) -> str | None:
    classes = {name.casefold(): name for name in meaning.readings}
    alike = difflib.get_close_matches(word.casefold(), classes, 1, ALIKE)
    alike = alike or _beginning_alike(word.casefold(), classes)
    return classes[alike[0]] if alike else None


def _beginning_alike(word: str, classes: Iterable[str]) -> list[str]:
    """The one class that begins like a word (“sad” for “sadness”), if it is only one."""
    found = [name for name in classes if _begins_alike(word, name)]
    return found if len(found) == 1 else []


def _begins_alike(one: str, other: str) -> bool:
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return shared >= max(SHORTEST_BEGINNING, BEGINNING * min(len(one), len(other)))


def _in_vain(goal: Goal, runs: Sequence[Run]) -> bool:
    """Whether the condition was asked, and no class made it true."""
    asked = any(decision_point(goal, Outcome.FALSE) in run.hits for run in runs)
    return asked and decided(runs) and not any(reached(goal, run) for run in runs)


def _finding(
    target: Target, mistake: _Mistake, api: Api, probes: Sequence[Probe], level: Level, bench: Bench
) -> Finding:
    goal, word = mistake.goal, mistake.word
    closest = f"The closest is “{mistake.name}”; none" if mistake.name else "None"
    words = Words(
        title=f"“{word}” is not what {api.name} answers",
        message=(
            f"`{goal.decision_text}` waits for “{word}”; the API answers one of "
            f"{quoted(list(api.says[0].readings))}. {closest} of them satisfies the condition."
        ),
        evidence={"label": word, "vocabulary": api.name, "closest": mistake.name},
    )
    proof = Proof(probes, Misses(goal, 1 / (len(probes) + 1)), f"class:{word}")
    found = branch_finding(target, goal, "cloud/unknown-label", level, words, proof)
    names = {word: mistake.name}
    return respelled(found, goal, names.get, bench) if mistake.name else found


def wish_of(finding: Finding, goal: Goal, template: Probe, api: Api) -> Wish | None:
    """The wish for inputs of the class that a finding suggests, where it has a reading."""
    reading = api.says[0].readings.get(str(finding.evidence["closest"]))
    wanted = Wanted(api.name, reading)
    return Wish(goal, goal, wanted, template, confirmed=False) if reading else None
