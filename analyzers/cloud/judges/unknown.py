"""Labels that the API does not have (Keeper, section 4.1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from analyzers.catalogue import Api, Grade, Vocabulary
from analyzers.cloud.branches import Proof, Words, branch_finding
from analyzers.cloud.repairs.labelling.correction import corrected
from analyzers.cloud.repairs.related import related
from analyzers.cloud.wishes import Wish
from analyzers.judging import decided, reached
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Finding,
    JsonObject,
    Level,
    Misses,
    Probe,
    Target,
)

MOST_SPELLINGS = 8
MOST_SYNONYMS = 3
ALIKE = 0.8
"""How alike two labels are (``difflib``) of which one is a slip for the other."""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The vocabulary's words for those of a condition: the meant ones, and other cases."""

    vocabulary: Vocabulary
    meant: Mapping[str, str]

    def __call__(self, word: str) -> str | None:
        if self.vocabulary.grade(word) is Grade.CASE:
            return self.vocabulary.canonical(word)
        return self.meant.get(word)


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
    grade = _grade(vocabulary, label)
    if grade in {Grade.EXACT, Grade.ALIAS}:
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
        evidence={
            "label": label,
            "vocabulary": api.vocabulary,
            "closest": nearest,
            "grade": grade.value,
        },
    )
    proof = Proof(probes, Misses(branch, 1 / (len(probes) + 1)), f"label:{label}")
    patch = None
    if nearest is not None and _hardly_another(grade, label, nearest):
        names = _Spelling(vocabulary, {label: nearest})
        patch = corrected(branch, names, bench.source(branch.path))
    return branch_finding(target, branch, "cloud/unknown-label", Level.WARNING, words, proof, patch)


def _grade(vocabulary: Vocabulary, label: str) -> Grade:
    """How a label stands to a vocabulary, words of the same meaning among it."""
    grade = vocabulary.grade(label)
    if grade is Grade.UNKNOWN and related.synonyms(label, vocabulary.labels):
        return Grade.SYNONYM
    return grade


def _hardly_another(grade: Grade, label: str, nearest: str) -> bool:
    """Whether a label can only be a slip for the nearest one."""
    if grade in {Grade.CASE, Grade.SYNONYM}:
        return True
    return SequenceMatcher(a=label.casefold(), b=nearest.casefold()).ratio() >= ALIKE


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
        exchange.answering(_renamed(exchange.answer, wish.wanted.reading or "", label))
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
