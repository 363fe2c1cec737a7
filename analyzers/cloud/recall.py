"""Branch recall with its interval (Keeper, section 4.1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analyzers.catalogue import Api, Meaning
from analyzers.cloud.answers import SAID_AS_A_WHOLE, answers_to, meaning_of, said, whole
from analyzers.cloud.branches import Proof, Words, branch_finding, describe, things
from analyzers.cloud.statistics import recall_interval
from analyzers.cloud.trials import Trial
from analyzers.judging import reached
from analyzers.vocabulary import Finding, Goal, InputKind, Level, Misses, Probe, Run, Target

FEWEST_INPUTS = 3


def low_recall(
    target: Target, trials: Sequence[Trial], api: Api, threshold: float
) -> Finding | None:
    """The finding of a branch that its inputs do not reach often enough."""
    runs = [run for trial in trials for run in trial.runs]
    successes = sum(trial.successes for trial in trials)
    if len(runs) < FEWEST_INPUTS or successes / len(runs) >= threshold:
        return None
    branch = trials[0].wish.branch
    low, high = recall_interval(successes, len(runs))
    readings = [trial.wish.wanted.reading or "" for trial in trials]
    kind = _kind(trials)
    words = Words(
        title=f"{successes} of {len(runs)} {things(kind, readings)} reach this branch",
        message=_message(trials, api, successes, len(runs))
        + f" 95 % interval {low:.2f} to {high:.2f}, threshold {threshold}."
        + _answered_instead(trials, api),
        evidence={
            "wanted": readings,
            "inputs": len(runs),
            "reached": successes,
            "recall": round(successes / len(runs), 4),
            "interval": [round(low, 4), round(high, 4)],
            "threshold": threshold,
            "unread": sum(trial.unread for trial in trials),
            "missed": [n for n, run in enumerate(runs) if not reached(branch, run)],
        },
    )
    proof = Proof(
        [probe for trial in trials for probe in trial.probes],
        Misses(branch, threshold),
        f"{kind}:{describe(branch)}",
    )
    level = Level.FAILURE if high < threshold else Level.WARNING
    return branch_finding(target, branch, "cloud/low-recall", level, words, proof)


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


def observed(
    trials: Sequence[Trial], others: Sequence[tuple[Probe, Run]], branch: Goal
) -> list[tuple[Run, bool, bool]]:
    """Every run with whether it was meant for the branch and whether it reached it."""
    meant = [(run, True) for trial in trials for run in trial.runs]
    unmeant = [(run, False) for _, run in others]
    return [(run, is_meant, reached(branch, run)) for run, is_meant in meant + unmeant]


def _kind(trials: Sequence[Trial]) -> InputKind:
    return trials[0].inputs[0].kind


def _message(trials: Sequence[Trial], api: Api, successes: int, total: int) -> str:
    branch = trials[0].wish.branch
    readings = [trial.wish.wanted.reading or "" for trial in trials]
    return (
        f"{total} {things(_kind(trials), readings)} were answered by `{api.name}`; {successes} of "
        f"them make `{branch.decision_text}` {branch.outcome}: recall {successes / total:.2f}."
    )


def _answered_instead(trials: Sequence[Trial], api: Api) -> str:
    counts: Counter[str] = Counter()
    for trial in trials:
        meaning = meaning_of(api, trial.wish.wanted.task)
        for run in trial.runs:
            if not reached(trial.wish.branch, run):
                counts.update(list(dict.fromkeys(_said(run, api, meaning))))
    most = ", ".join(f"“{label}” ({count})" for label, count in counts.most_common(4))
    return f" For those that missed, the API answered {most}." if most else ""


def _said(run: Run, api: Api, meaning: Meaning | None) -> list[str]:
    answers = answers_to(api.name, run.exchanges)
    if meaning is not None and meaning.task in SAID_AS_A_WHOLE:
        return [" ".join((whole(meaning, answer) or "nothing").split())[:40] for answer in answers]
    return [label for answer in answers for label in said(meaning, answer)]
