"""A lower least score in a condition that asks for a label and its score (Keeper, 4.2)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import elements, values_at, with_value_at
from analyzers.cloud.api_answers import SURE, answers_to
from analyzers.cloud.branch_cases import BranchCase, BranchRun, observed
from analyzers.cloud.conditions.decision_goals import decision_of
from analyzers.cloud.messages import percent
from analyzers.cloud.recall_statistics import FEWEST_INPUTS, f1_score, precision
from analyzers.cloud.repairs.linear_conditions import AnswerNumbers, NumberComparison
from analyzers.cloud.source_edits import LineEdit, SourceText, Splice
from analyzers.criteria import reached
from analyzers.guest.instrumentation.decisions import Decision
from analyzers.ports import Executor
from analyzers.vocabulary import (
    Candidate,
    Exchange,
    Finding,
    Goal,
    Json,
    Misses,
    Probe,
    Run,
    Suggestion,
)


@dataclass(frozen=True, slots=True)
class Observation:
    """One input: what the API answered, and what the branch made of it."""

    labels: tuple[str, ...]
    meant: bool
    reached: bool


@dataclass(frozen=True, slots=True)
class BranchScore:
    """The recall and precision of a branch on some inputs."""

    meant: int
    hits: int
    false_hits: int

    @property
    def recall(self) -> float:
        """The share of the meant inputs that reach the branch."""
        return self.hits / self.meant if self.meant else 0.0

    @property
    def precision(self) -> float:
        """The share of the inputs in the branch that were meant for it."""
        return precision(self.hits, self.false_hits)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return f1_score(self.precision, self.recall)

    @classmethod
    def of(cls, observations: Sequence[Observation], added: Sequence[str] = ()) -> BranchScore:
        """Count how the branch would do with the added labels."""
        more = {label.casefold() for label in added}
        reached = [
            observation.meant
            for observation in observations
            if observation.reached or any(label.casefold() in more for label in observation.labels)
        ]
        meant = sum(observation.meant for observation in observations)
        return cls(meant, sum(reached), len(reached) - sum(reached))


_Seen = TypeVar("_Seen", bound=Observation)


def halves(observations: Sequence[_Seen]) -> tuple[list[_Seen], list[_Seen]]:
    """Split observations, the meant and the others each, by turns: to choose on, to check on."""
    chosen: list[_Seen] = []
    checked: list[_Seen] = []
    for meant in (True, False):
        alike = [each for each in observations if each.meant is meant]
        chosen += alike[::2]
        checked += alike[1::2]
    return chosen, checked


def expand_labels(
    observations: Sequence[Observation],
    original: Sequence[str],
    threshold: float,
    related: Callable[[str, str], bool],
) -> tuple[str, ...]:
    """Add related labels, best first, while they raise recall and keep F1.

    Stops when the recall reaches ``threshold``; nothing when no label is
    worth adding.  Candidates are the labels of the meant inputs that missed
    the branch, if related to one of the original ones.
    """
    known = {label.casefold() for label in original}
    missed = {
        label.casefold(): label
        for observation in observations
        if observation.meant and not observation.reached
        for label in observation.labels
    }
    candidates = [
        label
        for folded, label in missed.items()
        if folded not in known and any(related(word, label) for word in original)
    ]
    added: list[str] = []
    standing = BranchScore.of(observations)
    while standing.recall < threshold:
        steps = [(BranchScore.of(observations, [*added, label]), label) for label in candidates]
        better = [
            (step, label)
            for step, label in steps
            if step.recall > standing.recall and step.f1 >= standing.f1
        ]
        if not better:
            break
        standing, label = max(better, key=lambda pair: (pair[0].recall, pair[0].f1))
        added.append(label)
    return tuple(added)


_FINE, _COARSE = 0.05, 5.0


@dataclass(frozen=True, slots=True)
class ScoredObservation(Observation):
    """One input, and the scores that the API gave the wanted labels in it."""

    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class MinimumScore:
    """The least score that a condition asks for: its number, and where it stands."""

    score: float
    strict: bool
    text: SourceText
    node: ast.expr

    def lowered(self, score: float) -> LineEdit | None:
        """Return the lines with another number in its place."""
        return self.text.edited([Splice(*self.text.span(self.node), f"{score:g}")])


def least_score(source: str, decision: Decision, field: str) -> MinimumScore | None:
    """Return the one least ``field`` that a condition asks for, as a number or its name.

    A name must be bound once in the file, to a number, and used nowhere else.
    """
    try:
        found = [c for c in AnswerNumbers(source, decision, (field,)).comparisons if c.above]
        text = SourceText(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    node = _number(text, found[0]) if len(found) == 1 else None
    if not isinstance(node, ast.Constant) or not isinstance(node.value, int | float):
        return None
    return MinimumScore(float(node.value), found[0].strict, text, node)


def _number(text: SourceText, comparison: NumberComparison) -> ast.expr | None:
    """Return the limit of a comparison as it stands in ``text``; of a name, its value."""
    span = (comparison.limit.lineno, comparison.limit.col_offset)
    if not isinstance(comparison.limit, ast.Name):
        same = (n for n in ast.walk(text.tree) if isinstance(n, ast.Constant))
        return next((n for n in same if (n.lineno, n.col_offset) == span), None)
    name = comparison.limit.id
    uses = [n for n in ast.walk(text.tree) if isinstance(n, ast.Name) and n.id == name]
    bound = [text.parents[n] for n in uses if isinstance(n.ctx, ast.Store)]
    if len(uses) != 1 + len(bound) or len(bound) != 1:
        return None
    return bound[0].value if isinstance(bound[0], ast.Assign | ast.AnnAssign) else None


def choose(
    observations: Sequence[ScoredObservation], least: MinimumScore, threshold: float
) -> float | None:
    """Return the greatest lower score that brings the recall to the threshold, or nearest to it.

    Only round scores, and only those that raise the recall and keep F1.
    """
    now = BranchScore.of(observations)
    missed = [s for o in observations if o.meant and not o.reached for s in o.scores]
    rounded = {_below(score, least) for score in missed if score < least.score}
    standings = [
        (score, BranchScore.of(passing(observations, score))) for score in rounded if score
    ]
    better = [(s, after) for s, after in standings if after.recall > now.recall]
    kept = [(score, after) for score, after in better if after.f1 >= now.f1]
    enough = [score for score, after in kept if after.recall >= threshold]
    if enough:
        return max(enough)
    return max(kept, key=lambda each: (each[1].recall, each[0]))[0] if kept else None


def _below(score: float, least: MinimumScore) -> float:
    """Return the next round number that a score clears; 0 where there is none."""
    step = _FINE if least.score <= 1 else _COARSE
    steps = math.floor(round(score / step, 6))
    if least.strict and steps * step >= score:
        steps -= 1
    return round(max(0, steps) * step, 4)


def passing(observations: Sequence[ScoredObservation], least: float) -> list[ScoredObservation]:
    """Return the observations, with those in the branch whose score is great enough."""
    return [
        replace(each, reached=each.reached or any(score >= least for score in each.scores))
        for each in observations
    ]


def lowered(
    finding: Finding,
    branch_cases: Sequence[BranchCase],
    others: Sequence[tuple[Probe, Run]],
    api: Api,
    meaning: AnswerMeaning,
    bench: Executor,
) -> Candidate | None:
    """Return a lower least score; ``None`` where none helps.

    The score is chosen on one half of the inputs and checked on the other.
    """
    assert isinstance(finding.criterion, Misses)
    branch, paths = finding.criterion.goal, _paths(api, meaning)
    source = bench.source(branch.path)
    least = least_score(source, decision_of(branch, source), paths[2]) if paths else None
    if paths is None or least is None:
        return None
    wanted = {
        (branch_case.objective.wanted.reading or "").casefold() for branch_case in branch_cases
    }
    seen = _observations(
        observed(branch_cases, others, branch), (api, paths, wanted), branch, bench
    )
    score = choose(halves(seen)[0], least, bench.plan.recall_threshold)
    helps = score is not None and _helps(seen, score, bench.plan.recall_threshold)
    return _offered(finding, seen, least, score) if helps and score is not None else None


def _observations(
    entries: Sequence[BranchRun],
    asked: tuple[Api, tuple[str, str, str], set[str]],
    branch: Goal,
    bench: Executor,
) -> list[ScoredObservation]:
    """Return the observations, with scores where a greater one leads to the branch in the code.

    Another clause may keep an input away however sure the API is of the label.
    """
    api, paths, wanted = asked
    scores = [tuple(_scores(each.run.exchanges, api, paths, wanted)) for each in entries]
    low = [n for n, each in enumerate(entries) if scores[n] and not each.reached]
    runs = bench.run([_surely(entries[n], api, paths, wanted) for n in low])
    useless = {n for n, run in zip(low, runs, strict=True) if not reached(branch, run)}
    return [
        ScoredObservation((), each.meant, each.reached, () if n in useless else scores[n])
        for n, each in enumerate(entries)
    ]


def _surely(entry: BranchRun, api: Api, paths: tuple[str, str, str], wanted: set[str]) -> Probe:
    """Return the probe with an answer that is sure of the wanted labels."""
    outer, label, score = paths
    script: list[Exchange] = []
    for exchange in entry.run.exchanges:
        if exchange.api != api.name:
            script.append(exchange)
            continue
        found = elements(next(iter(values_at(exchange.answer, outer)), None))
        sure = [
            with_value_at(each, score, SURE * api.highest)
            if isinstance(each, Mapping) and _names(each, label, wanted)
            else each
            for each in found
        ]
        script.append(exchange.answering(with_value_at(exchange.answer, outer, sure)))
    return replace(entry.probe, script=tuple(script))


def _names(entry: Json, label: str, wanted: set[str]) -> bool:
    return any(str(word).casefold() in wanted for word in values_at(entry, label))


def _helps(seen: Sequence[ScoredObservation], score: float, threshold: float) -> bool:
    """Return whether a score is better on the inputs that check it, and enough on all."""
    to_check = halves(seen)[1]
    before, after = BranchScore.of(to_check), BranchScore.of(passing(to_check, score))
    better = after.recall > before.recall and after.f1 >= before.f1
    enough = BranchScore.of(passing(seen, score)).recall >= threshold
    return better and enough and before.meant >= FEWEST_INPUTS


def _offered(
    finding: Finding, seen: Sequence[ScoredObservation], least: MinimumScore, score: float
) -> Candidate | None:
    edit = least.lowered(score)
    if edit is None:
        return None
    to_choose, to_check = halves(seen)
    after = BranchScore.of(passing(to_check, score))
    return Candidate(
        Suggestion(finding.path, edit.start_line, edit.end_line, edit.replacement),
        title=f"a least score of {score:g}",
        message="The API finds the label in more of them, less surely: a least "
        f"score of {score:g} instead of {least.score:g}, chosen on one half of the inputs, raises "
        f"the recall on the other half to {percent(after.recall)} at a precision of "
        f"{percent(after.precision)}.",
        evidence={
            "added_labels": [],
            "least_score": {"before": least.score, "after": score},
            "recall_after": round(after.recall, 4),
            "precision_after": round(after.precision, 4),
            "chosen_on": len(to_choose),
            "checked_on": len(to_check),
        },
    )


def _paths(api: Api, meaning: AnswerMeaning) -> tuple[str, str, str] | None:
    """Return the list of an answer in which labels stand, and where in its elements both stand."""
    outer, _, score = api.score_at.rpartition("[].")
    inside = [path.rpartition("[].") for path in meaning.at]
    label = next((name for place, _, name in inside if outer and place == outer), None)
    return None if label is None else (outer, label, score)


def _scores(
    exchanges: Sequence[Exchange], api: Api, paths: tuple[str, str, str], wanted: set[str]
) -> Iterator[float]:
    outer, label, score = paths
    for answer in answers_to(api.name, exchanges):
        for entry in elements(next(iter(values_at(answer, outer)), None)):
            if _names(entry, label, wanted):
                yield from (n for n in values_at(entry, score) if isinstance(n, int | float))
