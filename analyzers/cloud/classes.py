"""Comparisons with a class that the API does not have, such as “Positive” for “POSITIVE”.

Where the catalogue knows all classes of an API, each of them is put into an
everyday answer: if none leads to the branch, the constant in the condition is
another spelling of one, and it would lead there if the API answered it, then the
constant is wrong.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from analyzers import catalogue
from analyzers.catalogue import Api, Meaning
from analyzers.cloud.answers import saying
from analyzers.cloud.branches import Proof, Words, branch_finding, quoted
from analyzers.cloud.editing import Source, Splice
from analyzers.cloud.spelling import quoted as literal
from analyzers.guest.goals import decisions
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
    Suggestion,
    Target,
)

ALIKE = 0.75
"""How alike two words are (``difflib``) of which one is taken for the other."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A constant that a branch waits for, and the class that it should be."""

    goal: Goal
    word: str
    name: str


def wrong_classes(
    target: Target, searched: Searched, template: Probe, apis: Sequence[Api], bench: Bench
) -> Iterator[Finding]:
    """A finding for each branch that waits for another spelling of a class.

    ``apis``: those that the target asks; only where one alone can be meant.
    """
    meaning = apis[0].says[0] if len(apis) == 1 and apis[0].says else None
    if meaning is None or not meaning.closed:
        return
    api, usual = apis[0], catalogue.load().ordinary[apis[0].name]

    def answering(word: str) -> Probe:
        return template.answered((Exchange(api.name, "", saying(meaning, usual, word)),))

    probes = [answering(name) for name in meaning.readings]
    for mistake in _mistakes(target, searched, meaning):
        runs = bench.run([*probes, answering(mistake.word)])
        if _in_vain(mistake.goal, runs[:-1]) and reached(mistake.goal, runs[-1]):
            level = Level.FAILURE if mistake.goal.id in searched.exhausted else Level.WARNING
            yield _finding(target, mistake, api, probes, level, bench)


def _mistakes(target: Target, searched: Searched, meaning: Meaning) -> Iterator[_Mistake]:
    """The constants next to branches never reached that are nearly a class."""
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        if goal.clause is None and goal.outcome is Outcome.TRUE and goal.id not in known:
            found = (_mistake(goal, word, meaning) for word in searched.constants.get(goal.id, ()))
            yield from islice(filter(None, found), 1)


def _mistake(goal: Goal, word: str, meaning: Meaning) -> _Mistake | None:
    classes = {name.casefold(): name for name in meaning.readings}
    alike = difflib.get_close_matches(word.casefold(), classes, 1, ALIKE)
    if not alike or word in meaning.readings:
        return None
    return _Mistake(goal, word, classes[alike[0]])


def _in_vain(goal: Goal, runs: Sequence[Run]) -> bool:
    """Whether the condition was asked, and no class made it true."""
    asked = any(decision_point(goal, Outcome.FALSE) in run.hits for run in runs)
    return asked and decided(runs) and not any(reached(goal, run) for run in runs)


def _finding(
    target: Target, mistake: _Mistake, api: Api, probes: Sequence[Probe], level: Level, bench: Bench
) -> Finding:
    goal, word = mistake.goal, mistake.word
    words = Words(
        title=f"“{word}” is not what {api.name} answers",
        message=(
            f"`{goal.decision_text}` waits for “{word}”; the API answers one of "
            f"{quoted(list(api.says[0].readings))}. The closest is “{mistake.name}”; "
            "none of them satisfies the condition."
        ),
        evidence={"label": word, "vocabulary": api.name, "closest": mistake.name},
    )
    proof = Proof(probes, Misses(goal, 1 / (len(probes) + 1)), f"class:{word}")
    patch = _corrected(mistake, bench.source(goal.path))
    return branch_finding(target, goal, "cloud/unknown-label", level, words, proof, patch)


def _corrected(mistake: _Mistake, text: str) -> Suggestion | None:
    """The class in place of the constant, if the constant stands in the condition itself."""
    source, goal = Source(text), mistake.goal
    place = goal.function, goal.decision
    decision = next(d for d in decisions(text) if (d.function, d.ordinal) == place)
    condition = source.condition(decision)
    splices = [
        Splice(*source.span(node), literal(mistake.name, source.segment(node)))
        for node in (ast.walk(condition) if condition else ())
        if isinstance(node, ast.Constant) and node.value == mistake.word
    ]
    edit = source.edited(splices)
    if edit is None:
        return None
    return Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)
