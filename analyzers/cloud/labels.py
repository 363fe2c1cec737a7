"""Labels that the API does not have, and labels worth adding (Keeper, 4.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers.catalogue import Api, Grade, Meaning, Vocabulary
from analyzers.cloud.answers import SAID_AS_A_WHOLE, answers_to, meaning_of, said
from analyzers.cloud.branches import Proof, Words, branch_finding, quoted
from analyzers.cloud.recall import observed
from analyzers.cloud.related import UNAVAILABLE, related
from analyzers.cloud.repair import Expansion, Observation, expand_labels, rewrite
from analyzers.cloud.trials import Trial, Wish
from analyzers.guest.goals import decisions
from analyzers.judging import decided, reached
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Exchange,
    Finding,
    JsonObject,
    Level,
    Misses,
    Probe,
    Run,
    Suggestion,
    Target,
)

MOST_SPELLINGS = 8
MOST_SYNONYMS = 3


def unknown_label(
    target: Target,
    wish: Wish,
    api: Api,
    vocabulary: Vocabulary,
    bench: Bench,
) -> Finding | None:
    """The finding of a label that no answer brings, in any spelling.

    The vocabulary's own labels that mean the same, are spelled alike or contain
    the label are put into the answer: where one of them satisfies the
    condition, the label is not unknown to the code.
    """
    label = wish.wanted.reading or ""
    if vocabulary.grade(label) in {Grade.EXACT, Grade.ALIAS}:
        return None
    closest = _closest(vocabulary, label)
    nearest = next(iter(closest), None)
    spellings = dict.fromkeys([*_containing(vocabulary, label), *closest])
    probes = [_saying(wish, api, spelling) for spelling in spellings]
    runs = bench.run(probes)
    if not decided(runs) or any(reached(wish.branch, run) for run in runs):
        return None
    branch = wish.branch
    nearby = f"; the closest is “{nearest}”" if nearest else ""
    words = Words(
        title=f"“{label}” is not a label of {api.name}",
        message=(
            f"`{branch.decision_text}` waits for “{label}”, which is not among the "
            f"{len(vocabulary.labels):,} labels known for this API{nearby}. "
            f"None of {len(probes)} similar labels satisfies the condition."
        ),
        evidence={"label": label, "vocabulary": api.vocabulary, "closest": nearest},
    )
    proof = Proof(probes, Misses(branch, 1 / (len(probes) + 1)), f"label:{label}")
    return branch_finding(target, branch, "cloud/unknown-label", Level.WARNING, words, proof)


def _closest(vocabulary: Vocabulary, label: str) -> list[str]:
    """The label in another case, labels of the same meaning, labels spelled alike."""
    same = related.synonyms(label, vocabulary.labels)[:MOST_SYNONYMS]
    return [*filter(None, [vocabulary.canonical(label)]), *same, *vocabulary.closest(label)]


def _containing(vocabulary: Vocabulary, label: str) -> list[str]:
    """The shortest labels that contain ``label``, for conditions on substrings."""
    folded = label.casefold()
    found = [name for name in vocabulary.labels if folded in name.casefold()]
    return sorted(found, key=lambda name: (len(name), name))[:MOST_SPELLINGS]


def _saying(wish: Wish, api: Api, label: str) -> Probe:
    """The wish's witness with another label in its answer."""
    script = tuple(
        replace(exchange, answer=_renamed(exchange.answer, wish.wanted.reading or "", label))
        if exchange.api == api.name
        else exchange
        for exchange in wish.template.script or ()
    )
    return replace(wish.template, script=script)


def _renamed(answer: JsonObject, old: str, new: str) -> JsonObject:
    def rename(value: object) -> object:
        if isinstance(value, dict):
            return {key: rename(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [rename(inner) for inner in value]
        return new if value == old else value

    return {key: rename(value) for key, value in answer.items()}  # type: ignore[misc]


def repaired(
    finding: Finding,
    trials: Sequence[Trial],
    others: Sequence[tuple[Probe, Run]],
    api: Api,
    bench: Bench,
) -> Finding:
    """The finding with a label expansion, or with the reason why there is none."""
    assert isinstance(finding.criterion, Misses)
    branch = finding.criterion.goal
    meaning = meaning_of(api, trials[0].wish.wanted.task)
    if meaning is None or meaning.task in SAID_AS_A_WHOLE or meaning.readings:
        return _without(finding, "the condition compares no labels")
    if not related.available():
        return _without(finding, UNAVAILABLE)
    observations = [
        Observation(_labels(run.exchanges, api, meaning), meant, hit)
        for run, meant, hit in observed(trials, others, branch)
    ]
    original = tuple(trial.wish.wanted.reading or "" for trial in trials)
    expansion = expand_labels(observations, original, bench.plan.recall_threshold, related)
    if expansion is None:
        return _without(
            finding,
            "no related label raises the recall without lowering F1: the API itself is the limit",
        )
    suggestion = _patch(branch.path, branch.function, branch.decision, original, expansion, bench)
    evidence = {
        **finding.evidence,
        "added_labels": list(expansion.added_labels),
        "recall_after": round(expansion.recall_after, 4),
        "precision_after": round(expansion.precision_after, 4),
    }
    if suggestion is None:
        evidence["no_repair"] = "the condition has a form that is not rewritten automatically"
    message = (
        f"{finding.message} Also checking {quoted(expansion.added_labels)} raises the recall to "
        f"{expansion.recall_after:.2f} at a precision of {expansion.precision_after:.2f}."
    )
    return replace(finding, evidence=evidence, message=message, suggestion=suggestion)


def _labels(exchanges: Sequence[Exchange], api: Api, meaning: Meaning) -> tuple[str, ...]:
    return tuple(
        label for answer in answers_to(api.name, exchanges) for label in said(meaning, answer)
    )


def _without(finding: Finding, reason: str) -> Finding:
    return replace(finding, evidence={**finding.evidence, "no_repair": reason})


def _patch(
    path: str,
    function: str,
    ordinal: int,
    original: Sequence[str],
    expansion: Expansion,
    bench: Bench,
) -> Suggestion | None:
    source = bench.source(path)
    decision = next(d for d in decisions(source) if (d.function, d.ordinal) == (function, ordinal))
    edit = rewrite(source, decision, original[0], expansion.added_labels)
    if edit is None:
        return None
    return Suggestion(path, edit.start_line, edit.end_line, edit.replacement)
