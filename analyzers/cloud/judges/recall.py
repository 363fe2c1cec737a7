"""Branch recall with its interval (Keeper, section 4.1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analyzers.catalogue import Api, Meaning
from analyzers.cloud.answers import SAID_AS_A_WHOLE, answers_to, meaning_of, said, whole
from analyzers.cloud.branches import Proof, Words, branch_finding, describe, percent, things
from analyzers.cloud.sequential import FEWEST_INPUTS, Count, Family
from analyzers.cloud.statistics import p_below, recall_interval
from analyzers.cloud.trials import Trial
from analyzers.judging import reached
from analyzers.vocabulary import Finding, InputKind, Level, Misses, Run, Target


def low_recall(
    target: Target,
    trials: Sequence[Trial],
    api: Api,
    count: Count,
    family: Family,
) -> Finding | None:
    """The finding of a branch that its inputs do not reach often enough.

    ``family``: the branches of the target that are judged beside it.
    """
    if not count.judged or not count.misses(family.threshold):
        return None
    branch, runs = trials[0].wish.branch, [run for trial in trials for run in trial.runs]
    readings = [trial.wish.wanted.reading or "" for trial in trials]
    kind = _kind(trials)
    interval = recall_interval(count.reached, count.inputs)
    words = Words(
        title=f"{count.reached} of {count.inputs} {things(kind, readings)} reach this branch",
        message=_message(trials, api, count)
        + f" (95 % interval {percent(*interval)}, threshold {percent(family.threshold)})."
        + _doubt(count, interval[1], family)
        + _answered_instead(trials, api)
        + _asked_about(trials),
        evidence={
            "wanted": readings,
            "inputs": count.inputs,
            "reached": count.reached,
            "recall": round(count.reached / count.inputs, 4),
            "interval": [round(end, 4) for end in interval],
            "threshold": family.threshold,
            "p_value": _rounded(p_below(count.reached, count.inputs, family.threshold)),
            "judged_together": family.size,
            "looks": list(count.looks),
            "unread": sum(trial.unread for trial in trials),
            "missed": [n for n, run in enumerate(runs) if not reached(branch, run)],
            **({"asked_about": other} if (other := _altered(trials)) else {}),
        },
    )
    proof = Proof(
        [probe for trial in trials for probe in trial.probes],
        Misses(branch, family.threshold),
        f"{kind}:{describe(branch)}",
    )
    level = Level.FAILURE if count.fails(family.threshold) else Level.WARNING
    return branch_finding(target, branch, "cloud/low-recall", level, words, proof)


def _doubt(count: Count, high: float, family: Family) -> str:
    """Why the finding is no more than a warning; nothing where it is more."""
    if count.fails(family.threshold):
        return ""
    if high >= family.threshold:
        return (
            " No more than a warning: with so few inputs the true recall may still reach the"
            " threshold, which lies within the interval."
        )
    beside = f"{family.size} branches were tested at once and " if family.size > 1 else ""
    value = _rounded(p_below(count.reached, count.inputs, family.threshold))
    return (
        f" No more than a warning: {beside}the counts were looked at more than once, so chance"
        f" has to be ruled out more strictly than this (p = {value})."
    )


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def unreached(target: Target, trial: Trial) -> Finding | None:
    """A branch that waits for a constant which inputs that say it never bring.

    Only for unconfirmed wishes: no searched answer reached the branch and
    none of at least ``FEWEST_INPUTS`` fairly answered inputs did.
    """
    if len(trial.runs) < FEWEST_INPUTS or trial.successes:
        return None
    branch, reading = trial.wish.branch, trial.wish.wanted.reading or ""
    kind, count = _kind([trial]), len(trial.runs)
    words = Words(
        title=f"No input reaches `{branch.decision_text}`",
        message=(
            f"No answer that the search tried makes `{branch.decision_text}` {branch.outcome}, "
            f"and none of {count} {things(kind, [reading])} does either."
        ),
        evidence={"proof": "no-input-reached", "bound": f"{count} inputs", "wanted": [reading]},
    )
    proof = Proof(trial.probes, Misses(branch, 1 / (count + 1)), f"{kind}:{describe(branch)}")
    return branch_finding(target, branch, "cloud/dead-branch", Level.WARNING, words, proof)


def _kind(trials: Sequence[Trial]) -> InputKind:
    return trials[0].inputs[0].kind


def _message(trials: Sequence[Trial], api: Api, count: Count) -> str:
    branch = trials[0].wish.branch
    readings = [trial.wish.wanted.reading or "" for trial in trials]
    return (
        f"Of {count.inputs} {things(_kind(trials), readings)}, {count.reached} make "
        f"`{branch.decision_text}` {branch.outcome} by what `{api.name}` answers: "
        f"recall {percent(count.reached / count.inputs)}"
    )


def _answered_instead(trials: Sequence[Trial], api: Api) -> str:
    counts: Counter[str] = Counter()
    for trial in trials:
        meaning = meaning_of(api, trial.wish.wanted.task)
        for run in trial.runs:
            if not reached(trial.wish.branch, run):
                counts.update(list(dict.fromkeys(_said(run, api, meaning))))
    most = ", ".join(f"“{label}” ({count})" for label, count in counts.most_common(4))
    return f" For the others the API answered {most}." if most else ""


def _altered(trials: Sequence[Trial]) -> str | None:
    """What the API was asked about for most inputs, where it is not what was given."""
    counts = Counter(said for trial in trials for said in trial.altered)
    most, times = counts.most_common(1)[0] if counts else (None, 0)
    if most is None or 2 * times <= counts.total():
        return None
    return f"{most}: the code changes it before it asks"


def _asked_about(trials: Sequence[Trial]) -> str:
    said = _altered(trials)
    return f" For most inputs the API was asked about {said}." if said else ""


def _said(run: Run, api: Api, meaning: Meaning | None) -> list[str]:
    answers = answers_to(api.name, run.exchanges)
    if meaning is not None and meaning.task in SAID_AS_A_WHOLE:
        return [" ".join((whole(meaning, answer) or "nothing").split())[:40] for answer in answers]
    return [label for answer in answers for label in said(meaning, answer)]
