"""Labels tried in the code: what each input would do if the condition took another label.

An answer that has the wanted label in the place of another one does in the code as it is what the
other one would do in the code that takes both: the order of the labels, their case and the rest of
the condition stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import AnswerMeaning, Api
from analyzers.cloud import messages
from analyzers.cloud.api_answers import answers_to, renamed, said
from analyzers.cloud.branch_cases import BranchRun
from analyzers.cloud.conditions.decision_goals import clause_goal, decision_of
from analyzers.cloud.repairs.score_cutoff import Observation
from analyzers.criteria import outcome_point, reached
from analyzers.ports import Executor
from analyzers.vocabulary import BranchOutcome, Exchange, Goal, Json, Probe

MOST_TRIED = 240


@dataclass(frozen=True, slots=True)
class LabelTrials:
    """The observations of a branch, each with the labels that would lead it there.

    ``unread`` are related labels of answers that would not, with how many answers have them: the
    code looks elsewhere.  ``blocked`` of the ``missed`` inputs have the wanted label already;
    ``clauses`` are the parts of the condition that keep them from the branch.
    """

    observations: list[Observation]
    unread: Mapping[str, int]
    missed: int
    blocked: int
    clauses: tuple[str, ...]

    @property
    def evidence(self) -> dict[str, Json]:
        """Return what the report says of inputs that another clause keeps away."""
        if not self.blocked:
            return {}
        return {"other_clause": {"inputs": self.blocked, "clauses": list(self.clauses)}}


def try_labels(
    entries: Sequence[BranchRun],
    branch: Goal,
    original: Sequence[str],
    asked: tuple[Api, AnswerMeaning],
    related: Callable[[str, str], bool],
    bench: Executor,
) -> LabelTrials:
    """Run each answer with the wanted label in the place of each related one.

    ``original`` are the labels of the condition; the first stands for the others.
    """
    api, meaning = asked
    labels = [_labels(each, api, meaning) for each in entries]
    has_wanted = [any(label in original for label in each) for each in labels]
    missed = [n for n, each in enumerate(entries) if each.meant and not each.reached]
    useful = {
        label
        for n in missed
        if not has_wanted[n]
        for label in labels[n]
        if any(_is_alike(word, label, related) for word in original)
    }
    tried = [
        (n, label)
        for n, each in enumerate(entries)
        if not each.reached and not has_wanted[n]
        for label in labels[n]
        if label in useful
    ][:MOST_TRIED]
    runs = bench.run([_instead(entries[n], api, label, original[0]) for n, label in tried])
    leading: dict[int, list[str]] = {}
    for (n, label), run in zip(tried, runs, strict=True):
        if reached(branch, run):
            leading.setdefault(n, []).append(label)
    helping = {label for n in missed for label in leading.get(n, ())}
    unread = Counter(label for n, label in tried if n in missed and label not in helping)
    away = [entries[n] for n in missed if has_wanted[n]]
    return LabelTrials(
        [
            Observation(tuple(leading.get(n, ())), each.meant, each.reached)
            for n, each in enumerate(entries)
        ],
        unread,
        len(missed),
        len(away),
        _blocking(away, [each for each in entries if each.reached], branch, bench),
    )


def _labels(entry: BranchRun, api: Api, meaning: AnswerMeaning) -> tuple[str, ...]:
    answers = answers_to(api.name, entry.run.exchanges)
    return tuple(dict.fromkeys(label for answer in answers for label in said(meaning, answer)))


def _is_alike(word: str, label: str, related: Callable[[str, str], bool]) -> bool:
    return word.casefold() == label.casefold() or related(word, label)


def _instead(entry: BranchRun, api: Api, label: str, wanted: str) -> Probe:
    """Return the probe with the wanted label in the place of another one."""

    def said_so(exchange: Exchange) -> Exchange:
        if exchange.api != api.name:
            return exchange
        return exchange.answering(renamed(exchange.answer, label, wanted))

    return replace(entry.probe, script=tuple(map(said_so, entry.run.exchanges)))


def _blocking(
    away: Sequence[BranchRun], there: Sequence[BranchRun], branch: Goal, bench: Executor
) -> tuple[str, ...]:
    """Return the clauses that turn out as they do for no input that reaches the branch."""
    if not away:
        return ()
    decision = decision_of(branch, bench.source(branch.path))
    ways = [
        (clause.text, outcome_point(clause_goal(branch, decision, clause.ordinal, outcome)))
        for clause in decision.clauses
        for outcome in BranchOutcome
        if not clause.whole
    ]
    usual = {point for each in there for point in each.run.hits}
    other = [(text, point) for text, point in ways if point not in usual]
    counts = Counter(text for each in away for text, point in other if point in each.run.hits)
    return tuple(text for text, _ in counts.most_common() if there) or (branch.decision_text,)


def blocked_sentence(trials: LabelTrials, original: Sequence[str]) -> str:
    """Return what keeps inputs from the branch whose answer has the wanted label, or nothing."""
    if not trials.blocked:
        return ""
    return messages.other_clause(trials.blocked, trials.missed, original, trials.clauses)
