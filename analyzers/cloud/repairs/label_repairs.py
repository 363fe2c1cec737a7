"""Labels worth adding to a condition, as a patch (Keeper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import AnswerMeaning, Api
from analyzers.cloud.api_answers import SAID_AS_A_WHOLE, answers_to, meaning_of, said
from analyzers.cloud.branch_cases import BranchCase, observed
from analyzers.cloud.conditions.decision_goals import decision_of
from analyzers.cloud.messages import percent, quoted, unread_labels
from analyzers.cloud.recall_statistics import FEWEST_INPUTS, recall_interval
from analyzers.cloud.repairs.labels.label_additions import ProjectFiles, rewrite_in
from analyzers.cloud.repairs.labels.label_trials import LabelTrials, blocked_sentence, try_labels
from analyzers.cloud.repairs.related_words import UNAVAILABLE, related
from analyzers.cloud.repairs.score_cutoff import (
    BranchScore,
    Observation,
    expand_labels,
    halves,
    lowered,
)
from analyzers.cloud.source_edits import Case
from analyzers.criteria import decision_point, reached
from analyzers.ports import Executor
from analyzers.vocabulary import (
    BranchOutcome,
    Candidate,
    Finding,
    Goal,
    Json,
    Misses,
    Probe,
    Run,
    Suggestion,
)

TOO_FEW = "there are not enough inputs to choose a repair on some and to check it on others"
NOTHING_HELPS = "no related label raises the recall without lowering F1"
THE_LIMIT = (
    "the API itself is the limit; another provider, or screening or preparing the inputs before"
    " they are sent, may help"
)

TAKEN_BEFORE = "an earlier condition takes the inputs that miss this one, which belongs before it"


def repaired(
    finding: Finding,
    branch_cases: Sequence[BranchCase],
    others: Sequence[tuple[Probe, Run]],
    api: Api,
    bench: Executor,
) -> Finding:
    """Return the finding with a repair, or with the reason why there is none.

    A lower least score or more labels are chosen on one half of the inputs;
    what they bring is counted on the other.
    """
    assert isinstance(finding.criterion, Misses)
    meaning = meaning_of(api, branch_cases[0].objective.wanted.task)
    if meaning is None or meaning.task in SAID_AS_A_WHOLE or meaning.readings:
        reason = "the condition compares no labels"
        return replace(finding, evidence={**finding.evidence, "no_repair": reason})
    scored = lowered(finding, branch_cases, others, api, meaning, bench)
    original = [each.objective.wanted.reading or "" for each in branch_cases]
    label, branch = original[0], finding.criterion.goal
    runs = observed(branch_cases, others, branch)
    trials = try_labels(runs, branch, original, (api, meaning), related, bench)
    finding = replace(
        finding,
        message=finding.message + blocked_sentence(trials, original),
        evidence={**finding.evidence, **trials.evidence},
    )
    taken = _taken_before(branch, branch_cases, api, meaning)
    sets = TAKEN_BEFORE if taken else _expansions(trials, original, bench)
    if scored is not None:
        more = [] if isinstance(sets, str) else sets
        return finding.with_candidates(scored, *_candidates(finding, more, label, bench))
    if isinstance(sets, str):
        return _without(finding, sets)
    candidates = _candidates(finding, sets, label, bench)
    return finding.with_candidates(*candidates) if candidates else _told(finding, sets[0], bench)


def _taken_before(
    branch: Goal, branch_cases: Sequence[BranchCase], api: Api, meaning: AnswerMeaning
) -> bool:
    """Return whether all inputs that miss a branch got labels and never came to its condition."""
    points = {decision_point(branch, outcome) for outcome in BranchOutcome}
    runs = [run for branch_case in branch_cases for run in branch_case.runs]
    missed = [run for run in runs if not reached(branch, run)]
    answered = all(
        any(said(meaning, answer) for answer in answers_to(api.name, run.exchanges))
        for run in missed
    )
    return answered and not any(points & set(run.hits) for run in missed)


def _expansions(
    trials: LabelTrials, original: Sequence[str], bench: Executor
) -> list[_Repair] | str:
    """Return the label expansions that help, the best first, or the reason why there is none."""
    everything = trials.observations
    to_choose, to_check = halves(everything)
    respelled = _respelled(everything, original)
    if not respelled and not related.available():
        return UNAVAILABLE
    if BranchScore.of(to_check).meant < FEWEST_INPUTS:
        return TOO_FEW
    threshold = bench.plan.recall_threshold
    best = expand_labels(to_choose, original, threshold, related)
    sets = [*respelled, *([best] if best else []), *_others(to_choose, original, best, threshold)]
    if not sets:
        return _nothing_helps(trials)
    before = BranchScore.of(to_check)
    found = [_Repair.of(added, to_choose, to_check, everything) for added in dict.fromkeys(sets)]
    helping = [
        each
        for each in found
        if each.checked.recall > before.recall and each.checked.f1 >= before.f1
    ]
    return helping or (
        f"also checking {quoted(sets[0])} helps on the half of the inputs that it was chosen on"
        " and not on the other"
    )


def _nothing_helps(trials: LabelTrials) -> str:
    """Return why no label is a repair: the rest of the condition, or the API."""
    if 2 * trials.blocked > trials.missed:
        return "the labels are not what keeps most of the inputs from the branch"
    return unread_labels(trials.unread) if trials.unread else f"{NOTHING_HELPS}: {THE_LIMIT}"


def _respelled(seen: Sequence[Observation], original: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the wanted labels as the API spells them in answers that miss the branch."""
    wanted = {label.casefold() for label in original} - {""}
    missed = [label for each in seen if each.meant and not each.reached for label in each.labels]
    found = dict.fromkeys(label for label in missed if label.casefold() in wanted)
    return [tuple(found)] if found else []


def _others(
    seen: Sequence[Observation], original: Sequence[str], best: Sequence[str], threshold: float
) -> list[tuple[str, ...]]:
    """Return expansions without the best one's first label, and by each of its labels alone."""
    if not best:
        return []
    without = expand_labels(
        seen,
        original,
        threshold,
        lambda word, label: label.casefold() != best[0].casefold() and related(word, label),
    )
    alone = [(label,) for label in best] if len(best) > 1 else []
    return [*([without] if without else []), *alone]


@dataclass(frozen=True, slots=True)
class _Repair:
    """Added labels, and how the branch does with them on the checked half and on all."""

    added: tuple[str, ...]
    chosen_on: int
    checked_on: int
    checked: BranchScore
    whole: BranchScore

    @classmethod
    def of(
        cls,
        added: Sequence[str],
        chosen: Sequence[Observation],
        checked: Sequence[Observation],
        everything: Sequence[Observation],
    ) -> _Repair:
        """Count how the branch would do with more labels."""
        standing, whole = BranchScore.of(checked, added), BranchScore.of(everything, added)
        return cls(tuple(added), len(chosen), len(checked), standing, whole)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the recall on the checked half."""
        return recall_interval(self.checked.hits, self.checked.meant)

    def evidence(self) -> dict[str, Json]:
        """Return what the report says of it."""
        return {
            "added_labels": list(self.added),
            "recall_after": round(self.checked.recall, 4),
            "recall_after_interval": [round(end, 4) for end in self.interval],
            "precision_after": round(self.checked.precision, 4),
            "chosen_on": self.chosen_on,
            "checked_on": self.checked_on,
        }


def _candidates(
    finding: Finding, sets: Sequence[_Repair], label: str, bench: Executor
) -> list[Candidate]:
    """Return the changes for those expansions that reach the threshold, in each plausible case."""
    assert isinstance(finding.criterion, Misses)
    goal, threshold = finding.criterion.goal, bench.plan.recall_threshold
    enough = [each for each in sets if each.whole.recall >= threshold]
    return [
        Candidate(change, f"also check {quoted(each.added)}", *_saying(each, threshold))
        for case in (None, str, str.lower)
        for each in enough
        if (change := _patch(goal, label, each.added, bench, case)) is not None
    ]


def _saying(found: _Repair, threshold: float) -> tuple[dict[str, Json], str]:
    """Return the evidence and the message of an expansion."""
    low, high = found.interval
    message = (
        f"Also checking {quoted(found.added)}, chosen on one half of the inputs,"
        f" raises the recall on the other half to {percent(found.checked.recall)}"
        f" (95 % interval {percent(low, high)})"
        f" at a precision of {percent(found.checked.precision)}."
    )
    evidence = found.evidence()
    if found.checked.recall < threshold:
        evidence["partial_repair"] = {
            "labels": list(found.added),
            "recall": round(found.checked.recall, 4),
        }
        message += f" That helps in part: {THE_LIMIT}."
    elif found.whole.recall < threshold:
        message += f" On all of them it is {percent(found.whole.recall)}, too little: {THE_LIMIT}."
    return evidence, message


def _told(finding: Finding, found: _Repair, bench: Executor) -> Finding:
    """Return the finding with an expansion for which there is no change."""
    threshold = bench.plan.recall_threshold
    evidence, message = _saying(found, threshold)
    evidence["no_repair"] = (
        f"the labels that help do not reach the threshold: {THE_LIMIT}"
        if found.whole.recall < threshold
        else "the condition has a form that is not rewritten automatically"
    )
    return replace(
        finding,
        evidence={**finding.evidence, **evidence},
        message=f"{finding.message}\n{message}",
    )


def _without(finding: Finding, reason: str) -> Finding:
    evidence = {**finding.evidence, "no_repair": reason}
    return replace(finding, evidence=evidence, message=f"{finding.message}\nNo repair: {reason}.")


def _patch(
    branch: Goal, original: str, added: Sequence[str], bench: Executor, case: Case | None
) -> Suggestion | None:
    decision = decision_of(branch, bench.source(branch.path))
    project = ProjectFiles(bench.source, bench.paths())
    found = rewrite_in(project, branch.path, decision, original, added, case)
    if found is None:
        return None
    edit = found.edit
    return Suggestion(found.path, edit.start_line, edit.end_line, edit.replacement)
