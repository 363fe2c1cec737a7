"""The search for an inverse of what code does to a text before it asks.

Inverses are put together step by step.  A step goes inside of those before
it: with them, the code is another black box that has to be undone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import IntEnum

from analyzers.cloud.inversion.code_hints import Hints
from analyzers.cloud.inversion.inverse_steps import (
    InverseStep,
    codings,
    cut,
    mapped,
    paddings,
    replacements,
)
from analyzers.vocabulary import AskedInput, Form, Input, InputArgument, InputKind, Probe, Run

DRAWN_ANEW = frozenset({Form.PIL, Form.NUMPY})
FILES = {InputKind.IMAGE: "picture", InputKind.AUDIO: "recording"}


class TextSimilarity(IntEnum):
    """The similarity of the text that the API received to the intended one, the closest first.

    The same; but for the case of letters; the same words set otherwise; with
    more around it; in several questions.
    """

    EXACT = 0
    CASE = 1
    WORDS = 2
    WITHIN = 3
    PARTS = 4


SAID = {
    TextSimilarity.CASE: "the text in other case",
    TextSimilarity.WORDS: "the words of the text, set otherwise",
    TextSimilarity.WITHIN: "a longer text with the given one in it",
    TextSimilarity.PARTS: "the text in parts",
}


def text_similarity(meant: str, asked: Sequence[AskedInput]) -> TextSimilarity | None:
    """Return how close the closest of the texts asked about comes; ``None``: another text."""
    digest = hashlib.sha256(meant.encode()).hexdigest()
    texts = [each.text for each in asked if each.text is not None]
    if any(each.digest == digest for each in asked):
        return TextSimilarity.EXACT
    if any(text.casefold() == meant.casefold() for text in texts):
        return TextSimilarity.CASE
    words = _words(meant)
    if not words:
        return None
    if any(_words(text) == words for text in texts):
        return TextSimilarity.WORDS
    if any(_is_within(words, _words(text)) for text in texts):
        return TextSimilarity.WITHIN
    return TextSimilarity.PARTS if _words(" ".join(texts)) == words else None


def texts_of(api: str, run: Run) -> tuple[AskedInput, ...]:
    """Return the texts that an API was asked about in a run."""
    return tuple(a for a in run.asked if a.api == api and a.kind is InputKind.TEXT)


def altered(api: str, item: Input, probe: Probe, run: Run, meant: str | None) -> str | None:
    """Return what the API was asked about where it is not what was given; ``None``: the same.

    A picture given as an object of a library has no bytes of its own to
    compare with.  ``meant`` is the text that was to be asked about.
    """
    if meant is not None:
        like = text_similarity(meant, texts_of(api, run))
        return None if like is None else SAID.get(like)
    files = [a for a in run.asked if a.api == api and a.kind is item.kind]
    slots = [a.form for a in probe.arguments.values() if isinstance(a, InputArgument)]
    if item.kind not in FILES or not files or DRAWN_ANEW & set(slots):
        return None
    return None if any(a.digest == item.digest for a in files) else f"another {FILES[item.kind]}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]", "", text.casefold()))


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    length = len(part)
    return any(whole[at : at + length] == part for at in range(len(whole) - length + 1))


TEXTS = (
    "Quince jam with 2 violet owls",
    "Old Rivers run slowly past 17 mills at dusk",
    "Hats off to all of us",
)
FRESH = (
    "Seven green boats left this morning without Tom",
    "Nobody here minds the long way home",
    "A kettle, a spoon and 1 cup",
)
ALPHABET = "a" + "".join(map(chr, range(32, 127))) + "z"
MOST_STEPS = 3
MOST_RUNS = 1600
MOST_SECONDS = 10.0
MOST_VERIFIED = 8
MOST_MISSED = 1
CLOSEST = 3
NOVEL = 3


@dataclass(frozen=True, slots=True)
class ObservedTexts:
    """One run: the texts asked about, how it went otherwise, and its seconds."""

    asked: tuple[AskedInput, ...]
    course: Hashable
    seconds: float

    @property
    def text(self) -> str | None:
        """The first text asked about."""
        return next((each.text for each in self.asked if each.text is not None), None)


Observe = Callable[[Sequence[str]], Sequence[ObservedTexts]]


@dataclass(frozen=True, slots=True)
class Inverse:
    """The steps that turn a text into what to pass, the first to apply first."""

    steps: tuple[InverseStep, ...] = ()
    likeness: TextSimilarity = TextSimilarity.EXACT

    def __call__(self, text: str) -> str | None:
        """Return the text to pass, ``None`` where there is none."""
        passed: str | None = text
        for step in self.steps:
            passed = None if passed is None else step.apply(passed)
        return passed


class _Spent(Exception):  # noqa: N818 - an end, not an error
    """The runs or the time for learning are used up."""


class Learner:
    """Learns one inverse; ``observe`` runs the code on texts."""

    def __init__(self, observe: Observe, hints: Hints) -> None:
        self._observe = observe
        self._hints = hints
        self._runs = 0
        self._seconds = 0.0
        self._tried: set[str] = set()
        self._courses: set[Hashable] = set()

    def learn(self) -> Inverse | None:
        """Return the inverse that held on all texts, the closest of the simplest; or ``None``."""
        try:
            return self._verified([Inverse()]) or self._searched()
        except _Spent:
            return None

    def _searched(self) -> Inverse | None:
        (first,) = self._look([TEXTS[0]])
        self._courses.add(first.course)
        front = [(Inverse(), first)]
        for depth in range(MOST_STEPS):
            candidates = list(self._grown(front, depth))
            passed = [inverse(TEXTS[0]) or "" for inverse in candidates]
            seen = list(zip(candidates, self._look(passed), strict=True))
            good = [inverse for inverse, each in seen if _fits(TEXTS[0], each) is not None]
            found = self._verified(good)
            if found is not None:
                return found
            front = [*self._promising(seen), *self._decoded(seen)]
        return None

    def _grown(
        self, front: Sequence[tuple[Inverse, ObservedTexts]], depth: int
    ) -> Iterator[Inverse]:
        """Yield the front's inverses with one more step that makes a text not yet tried."""
        hinted = [*codings(self._hints), *replacements(self._hints), *paddings(self._hints)]
        usual = codings(None) if not depth else []
        for inverse, seen in front:
            observed = [*cut(TEXTS[0], seen.text or ""), *self._characters(inverse, seen)]
            for step in (*observed, *hinted, *usual):
                for steps in {(step, *inverse.steps): None, (*inverse.steps, step): None}:
                    grown = Inverse(steps)
                    passed = grown(TEXTS[0])
                    if passed is not None and passed not in self._tried:
                        self._tried.add(passed)
                        yield grown

    def _characters(self, inverse: Inverse, seen: ObservedTexts) -> Iterator[InverseStep]:
        """Yield a table of characters, where the code keeps their number."""
        passed = inverse(ALPHABET)
        if seen.text is None or len(seen.text) != len(TEXTS[0]) or passed is None:
            return
        (read,) = self._look([passed])
        if read.text is not None and len(read.text) == len(ALPHABET):
            yield mapped(dict(zip(reversed(read.text), reversed(ALPHABET), strict=True)))

    def _promising(
        self, seen: Iterable[tuple[Inverse, ObservedTexts]]
    ) -> Iterator[tuple[Inverse, ObservedTexts]]:
        """Yield inverses that bring the text closest, and those that first take another course."""
        texts = {each.text: (inverse, each) for inverse, each in reversed(list(seen)) if each.text}
        closest = sorted(texts, key=lambda text: -_closeness(text or ""))
        yield from (texts[text] for text in closest[:CLOSEST])
        new = 0
        for inverse, each in seen:
            if each.course not in self._courses and each.text is None and new < NOVEL:
                self._courses.add(each.course)
                new += 1
                yield inverse, each

    def _decoded(
        self, seen: Iterable[tuple[Inverse, ObservedTexts]]
    ) -> Iterator[tuple[Inverse, ObservedTexts]]:
        """Yield the encodings that the code names: something may have to stand around them."""
        named = {step.said for step in codings(self._hints)}
        for inverse, each in seen:
            if len(inverse.steps) == 1 and inverse.steps[0].said in named and each.text is None:
                yield inverse, each

    def _verified(self, inverses: Sequence[Inverse]) -> Inverse | None:
        """Return the closest of those that hold, the shortest first.

        A text may have a character in it that separates fields.
        """
        tried = sorted(
            inverses, key=lambda inverse: (len(inverse.steps), len(inverse(TEXTS[0]) or ""))
        )
        held: list[Inverse] = []
        for inverse in tried[:MOST_VERIFIED]:
            texts = [(text, inverse(text)) for text in (*TEXTS, *FRESH)]
            passed = [(text, given) for text, given in texts if given is not None]
            seen = self._look([given for _, given in passed])
            likes = [_fits(text, each) for (text, _), each in zip(passed, seen, strict=True)]
            known = [like for like in likes if like is not None]
            if len(known) >= len(texts) - MOST_MISSED:
                held.append(replace(inverse, likeness=max(known)))
        return min(held, key=lambda inverse: inverse.likeness, default=None)

    def _look(self, texts: Sequence[str]) -> list[ObservedTexts]:
        """Run the code on texts; raises ``_Spent`` where that is too much."""
        seen: list[ObservedTexts] = []
        while len(seen) < len(texts):
            batch = texts[len(seen) : len(seen) + self._affordable()]
            if not batch:
                raise _Spent
            found = self._observe(batch)
            self._runs += len(found)
            self._seconds += sum(each.seconds for each in found)
            seen += found
        return seen

    def _affordable(self) -> int:
        left = MOST_RUNS - self._runs
        if not self._runs:
            return len(TEXTS)
        each = max(self._seconds / self._runs, 1e-6)
        return max(0, min(left, int((MOST_SECONDS - self._seconds) / each)))


def _fits(text: str, seen: ObservedTexts) -> TextSimilarity | None:
    return text_similarity(text, seen.asked)


def _closeness(text: str) -> float:
    matcher = SequenceMatcher(None, TEXTS[0], text, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(TEXTS[0])
