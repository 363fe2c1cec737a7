"""Thresholds that tell positive from negative texts (Keeper, section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud.api_answers import NEGATIVE, POSITIVE, answers_to, meaning_of
from analyzers.cloud.conditions.decision_goals import decision_of
from analyzers.cloud.messages import percent
from analyzers.cloud.recall_statistics import FEWEST_INPUTS, recall_interval
from analyzers.cloud.repairs.label_repairs import TOO_FEW
from analyzers.cloud.repairs.linear_conditions import (
    AnswerNumbers,
    NumberComparison,
    SeparatingLine,
    separated,
)
from analyzers.criteria import reached
from analyzers.ports import Executor
from analyzers.vocabulary import Candidate, Finding, Goal, Json, JsonObject, Mixes, Run, Suggestion

NO_NUMBERS = "the answers hold no numbers that a threshold could be set for"
UNCLEAR = "it cannot be told which texts the branch is meant for"
NOT_BETTER = "no threshold on what the API says tells the texts apart any better"
GOOD = re.compile(
    r"positiv|\b(happy|good|great|love|like|smil|nice|prais|thank|friendly|welcome)", re.IGNORECASE
)
BAD = re.compile(
    r"negativ|\b(unhappy|sad|bad|angr|hate|frown|toxic|complain|sorry|rude|abus|hostil)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Text:
    """One rated text: what the API says of it in numbers, and whether the branch got it."""

    numbers: Mapping[str, float]
    positive: bool
    reached: bool


@dataclass(frozen=True, slots=True)
class _Threshold:
    """A line on some fields, for the texts that the branch is meant for."""

    fields: tuple[str, ...]
    line: SeparatingLine
    strict: bool
    positive: bool

    def right(self, texts: Sequence[_Text]) -> int:
        """Return how many texts it puts where they belong."""
        classes = [text.positive is self.positive for text in texts]
        return self.line.accuracy(_points(texts, self.fields), classes, strict=self.strict)


def retuned(
    finding: Finding, positives: Sequence[Run], negatives: Sequence[Run], api: Api, bench: Executor
) -> Finding:
    """Return the finding with a condition that tells the texts apart, or why there is none.

    The condition is chosen on one half of the texts; what it gets right is
    counted on the other.
    """
    assert isinstance(finding.criterion, Mixes)
    goal = finding.criterion.goal
    polls = [
        [text for run in runs if (text := _text(run, api, goal, positive=positive)) is not None]
        for runs, positive in ((positives, True), (negatives, False))
    ]
    if not any(polls):
        return _without(finding, NO_NUMBERS)
    if any(len(poll) // 2 < FEWEST_INPUTS for poll in polls):
        return _without(finding, TOO_FEW)
    to_choose, to_check = ([text for poll in polls for text in poll[n::2]] for n in (0, 1))
    signed, fields = _by_feeling(polls[0][0].numbers, meaning_of(api))
    numbers = _numbers(goal, fields, bench)
    asked = next((each for each in numbers.comparisons if each.field in signed), None)
    positive = _meant_for(asked, signed, _beside(goal, bench))
    if positive is None:
        return _without(finding, UNCLEAR)
    found = _chosen(to_choose, signed, fields, asked, positive=positive)
    if found is None or found.right(to_check) <= _right_now(to_check, positive=found.positive):
        return _without(finding, NOT_BETTER)
    return _offered(finding, found, numbers, to_choose, to_check)


def _text(run: Run, api: Api, goal: Goal, *, positive: bool) -> _Text | None:
    meaning = meaning_of(api)
    answers = answers_to(api.name, run.exchanges)
    numbers = _numbers_of(answers[0], meaning) if answers and meaning else {}
    return _Text(numbers, positive, reached(goal, run)) if numbers else None


def _numbers_of(answer: JsonObject, meaning: AnswerMeaning) -> dict[str, float]:
    """Return the numbers that stand beside a score, or that are named like the classes."""
    if meaning.clear is not None:
        parents = [values_at(answer, path.rpartition(".")[0]) for path in meaning.at]
        fields = next((found[0] for found in parents if found), answer)
        return _plain(fields)
    words = {name.casefold() for pair in meaning.readings.items() for name in pair}
    inside = [_plain(value) for value in answer.values()]
    named = ({n: v for n, v in part.items() if n.casefold() in words} for part in inside)
    return next((part for part in named if part), {})


def _plain(value: object) -> dict[str, float]:
    items = value.items() if isinstance(value, Mapping) else ()
    return {
        str(name): float(number)
        for name, number in items
        if isinstance(number, int | float) and not isinstance(number, bool)
    }


def _points(texts: Sequence[_Text], fields: Sequence[str]) -> list[tuple[float, ...]]:
    return [tuple(text.numbers.get(field, 0.0) for field in fields) for text in texts]


def _numbers(goal: Goal, fields: Sequence[str], bench: Executor) -> AnswerNumbers:
    source = bench.source(goal.path)
    return AnswerNumbers(source, decision_of(goal, source), fields)


def _right_now(texts: Sequence[_Text], *, positive: bool) -> int:
    return sum(text.reached is (text.positive is positive) for text in texts)


def _meant_for(
    asked: NumberComparison | None, signed: Mapping[str, bool], beside: str
) -> bool | None:
    """Return whether a branch is meant for positive texts; ``None`` where that cannot be told.

    The direction of its comparison says so, or the words of feeling beside
    it; where the two disagree, neither is believed.
    """
    words = bool(GOOD.search(beside)), bool(BAD.search(beside))
    told = words[0] if words[0] is not words[1] else None
    if asked is None:
        return told
    direction = asked.above is signed[asked.field]
    return direction if told in (None, direction) else None


def _beside(goal: Goal, bench: Executor) -> str:
    """Return the lines after a condition."""
    return "\n".join(bench.source(goal.path).splitlines()[goal.end_line : goal.end_line + 3])


def _chosen(
    texts: Sequence[_Text],
    signed: Mapping[str, bool],
    fields: Sequence[str],
    asked: NumberComparison | None,
    *,
    positive: bool,
) -> _Threshold | None:
    """Return the threshold that suits the texts best: on one field where that is as good."""
    first = asked.field if asked else next(iter(signed), None)
    if first is None:
        return None
    strict = asked.strict if asked else False
    classes = [text.positive is positive for text in texts]
    best: _Threshold | None = None
    for used in [(first,), *((first, other) for other in fields if other != first)]:
        line = separated(_points(texts, used), classes, strict=strict)
        if line is None or line.above is not (signed[first] is positive):
            continue
        found = _Threshold(used, line, strict, positive)
        if best is None or found.right(texts) > best.right(texts):
            best = found
    return best


def _by_feeling(
    numbers: Mapping[str, float], meaning: AnswerMeaning | None
) -> tuple[dict[str, bool], list[str]]:
    """Return the fields that grow with a sentiment, each with whether it is positive."""
    if meaning is not None and meaning.clear is not None:
        names = [path.rpartition(".")[2] for path in meaning.at]
        return {name: True for name in names if name in numbers}, list(numbers)
    feelings = {POSITIVE: True, NEGATIVE: False}
    readings = {n.casefold(): r for n, r in (meaning.readings if meaning else {}).items()}
    read = {name: readings.get(name.casefold(), name.casefold()) for name in numbers}
    signed = {name: feelings[word] for name, word in read.items() if word in feelings}
    ordered = sorted(signed, key=signed.__getitem__, reverse=True)
    return {name: signed[name] for name in ordered}, ordered


def _offered(
    finding: Finding,
    found: _Threshold,
    numbers: AnswerNumbers,
    to_choose: Sequence[_Text],
    to_check: Sequence[_Text],
) -> Finding:
    total = len(to_check)
    before, after = _right_now(to_check, positive=found.positive), found.right(to_check)
    formula = numbers.reads(found.fields, found.line, strict=found.strict)
    feeling = POSITIVE if found.positive else NEGATIVE
    low, high = recall_interval(after, total)
    evidence: dict[str, Json] = {
        "formula": formula,
        "meant_for": feeling,
        "accuracy_before": round(before / total, 4),
        "accuracy_before_interval": [round(end, 4) for end in recall_interval(before, total)],
        "accuracy_after": round(after / total, 4),
        "accuracy_after_interval": [round(low, 4), round(high, 4)],
        "chosen_on": len(to_choose),
        "checked_on": total,
    }
    message = (
        f"Meant for {feeling} texts, `{formula}`, chosen on one half of the"
        f" texts, is right for {percent(after / total)} of the other half (95 % interval"
        f" {percent(low, high)}); the condition as it stands for {percent(before / total)}."
    )
    edit = numbers.rewritten(found.fields, found.line, strict=found.strict)
    if edit is None:
        evidence["no_repair"] = "the condition has a form that is not rewritten automatically"
        told = f"{finding.message}\n{message}"
        return replace(finding, evidence={**finding.evidence, **evidence}, message=told)
    change = Suggestion(finding.path, edit.start_line, edit.end_line, edit.replacement)
    return finding.with_candidates(Candidate(change, f"`{formula}`", evidence, message))


def _without(finding: Finding, reason: str) -> Finding:
    return replace(finding, evidence={**finding.evidence, "no_repair": reason})
