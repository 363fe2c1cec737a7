"""Labels worth adding to a condition, as a patch (Keeper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Api, Meaning
from analyzers.cloud.answers import SAID_AS_A_WHOLE, answers_to, meaning_of, said
from analyzers.cloud.branches import percent, quoted
from analyzers.cloud.repairs.cutoff import lowered
from analyzers.cloud.repairs.expansion import Observation, Standing, expand_labels, halves
from analyzers.cloud.repairs.labelling.constants import Project
from analyzers.cloud.repairs.labelling.relabel import rewrite_in
from analyzers.cloud.repairs.related import UNAVAILABLE, related
from analyzers.cloud.sequential import FEWEST_INPUTS
from analyzers.cloud.statistics import recall_interval
from analyzers.cloud.trials import Trial, observed
from analyzers.guest.goals import decisions
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Exchange,
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


def repaired(
    finding: Finding,
    trials: Sequence[Trial],
    others: Sequence[tuple[Probe, Run]],
    api: Api,
    bench: Bench,
) -> Finding:
    """The finding with a repair, or with the reason why there is none.

    A lower least score or more labels are chosen on one half of the inputs;
    what they bring is counted on the other.
    """
    assert isinstance(finding.criterion, Misses)
    meaning = meaning_of(api, trials[0].wish.wanted.task)
    if meaning is None or meaning.task in SAID_AS_A_WHOLE or meaning.readings:
        reason = "the condition compares no labels"
        return replace(finding, evidence={**finding.evidence, "no_repair": reason})
    scored = lowered(finding, trials, others, api, meaning, bench)
    return scored or _expanded(finding, trials, others, api, meaning, bench)


def _expanded(
    finding: Finding,
    trials: Sequence[Trial],
    others: Sequence[tuple[Probe, Run]],
    api: Api,
    meaning: Meaning,
    bench: Bench,
) -> Finding:
    """The finding with a label expansion, or with the reason why there is none."""
    assert isinstance(finding.criterion, Misses)
    if not related.available():
        return _without(finding, UNAVAILABLE)
    original = [trial.wish.wanted.reading or "" for trial in trials]
    everything = [
        Observation(_labels(run.exchanges, api, meaning), meant, hit)
        for run, meant, hit in observed(trials, others, finding.criterion.goal)
    ]
    to_choose, to_check = halves(everything)
    if Standing.of(to_check).meant < FEWEST_INPUTS:
        return _without(finding, TOO_FEW)
    added = expand_labels(to_choose, original, bench.plan.recall_threshold, related)
    if not added:
        return _without(finding, f"{NOTHING_HELPS}: {THE_LIMIT}")
    before, after = Standing.of(to_check), Standing.of(to_check, added)
    if after.recall <= before.recall or after.f1 < before.f1:
        return _without(
            finding,
            f"also checking {quoted(added)} helps on the half of the inputs that it was chosen on"
            " and not on the other",
        )
    whole = Standing.of(everything, added)
    found = _Repair(added, len(to_choose), len(to_check), after, whole)
    return _offered(finding, found, original[0], bench)


@dataclass(frozen=True, slots=True)
class _Repair:
    """Added labels, and how the branch does with them on the checked half and on all."""

    added: tuple[str, ...]
    chosen_on: int
    checked_on: int
    checked: Standing
    whole: Standing

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the recall on the checked half."""
        return recall_interval(self.checked.hits, self.checked.meant)

    def evidence(self) -> dict[str, Json]:
        """What the report says of it."""
        return {
            "added_labels": list(self.added),
            "recall_after": round(self.checked.recall, 4),
            "recall_after_interval": [round(end, 4) for end in self.interval],
            "precision_after": round(self.checked.precision, 4),
            "chosen_on": self.chosen_on,
            "checked_on": self.checked_on,
        }


def _offered(finding: Finding, found: _Repair, label: str, bench: Bench) -> Finding:
    """The finding with a repair: in part only, where the checked recall stays too low."""
    assert isinstance(finding.criterion, Misses)
    threshold = bench.plan.recall_threshold
    low, high = found.interval
    message = (
        f"{finding.message}\nAlso checking {quoted(found.added)}, chosen on one half of the inputs,"
        f" raises the recall on the other half to {percent(found.checked.recall)}"
        f" (95 % interval {percent(low, high)})"
        f" at a precision of {percent(found.checked.precision)}."
    )
    evidence = {**finding.evidence, **found.evidence()}
    if found.checked.recall < threshold:
        evidence["partial_repair"] = {
            "labels": list(found.added),
            "recall": round(found.checked.recall, 4),
        }
        message += f" That helps in part: {THE_LIMIT}."
    elif found.whole.recall < threshold:
        message += f" On all of them it is {percent(found.whole.recall)}, too little: {THE_LIMIT}."
    suggestion = None
    if found.whole.recall < threshold:
        evidence["no_repair"] = f"the labels that help do not reach the threshold: {THE_LIMIT}"
    else:
        suggestion = _patch(finding.criterion.goal, label, found.added, bench)
        if suggestion is None:
            evidence["no_repair"] = "the condition has a form that is not rewritten automatically"
    return replace(finding, evidence=evidence, message=message, suggestion=suggestion)


def _labels(exchanges: Sequence[Exchange], api: Api, meaning: Meaning) -> tuple[str, ...]:
    return tuple(
        label for answer in answers_to(api.name, exchanges) for label in said(meaning, answer)
    )


def _without(finding: Finding, reason: str) -> Finding:
    evidence = {**finding.evidence, "no_repair": reason}
    return replace(finding, evidence=evidence, message=f"{finding.message}\nNo repair: {reason}.")


def _patch(branch: Goal, original: str, added: Sequence[str], bench: Bench) -> Suggestion | None:
    source = bench.source(branch.path)
    address = (branch.function, branch.decision)
    decision = next(d for d in decisions(source) if (d.function, d.ordinal) == address)
    project = Project(bench.source, bench.paths())
    found = rewrite_in(project, branch.path, decision, original, added)
    if found is None:
        return None
    edit = found.edit
    return Suggestion(found.path, edit.start_line, edit.end_line, edit.replacement)
