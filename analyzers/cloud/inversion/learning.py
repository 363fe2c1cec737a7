"""The search for an inverse of what code does to a text before it asks.

Inverses are put together step by step.  A step goes inside of those before
it: with them, the code is another black box that has to be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from analyzers.cloud.inversion.hints import Hints
from analyzers.cloud.inversion.likeness import Likeness, likeness
from analyzers.cloud.inversion.steps import (
    Step,
    codings,
    cut,
    mapped,
    paddings,
    replacements,
)
from analyzers.vocabulary import Asked

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
class Seen:
    """One run: the texts asked about, how it went otherwise, and its seconds."""

    asked: tuple[Asked, ...]
    course: Hashable
    seconds: float

    @property
    def text(self) -> str | None:
        """The first text asked about."""
        return next((each.text for each in self.asked if each.text is not None), None)


Observe = Callable[[Sequence[str]], Sequence[Seen]]


@dataclass(frozen=True, slots=True)
class Inverse:
    """What to pass so that a text is asked about: steps, the first to apply first."""

    steps: tuple[Step, ...] = ()
    likeness: Likeness = Likeness.EXACT

    def __call__(self, text: str) -> str | None:
        """The text to pass, ``None`` where there is none."""
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
        """The inverse that held on all texts, the closest of the simplest; or ``None``."""
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

    def _grown(self, front: Sequence[tuple[Inverse, Seen]], depth: int) -> Iterator[Inverse]:
        """The front's inverses with one more step that makes a text not yet tried."""
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

    def _characters(self, inverse: Inverse, seen: Seen) -> Iterator[Step]:
        """A table of characters, where the code keeps their number."""
        passed = inverse(ALPHABET)
        if seen.text is None or len(seen.text) != len(TEXTS[0]) or passed is None:
            return
        (read,) = self._look([passed])
        if read.text is not None and len(read.text) == len(ALPHABET):
            yield mapped(dict(zip(reversed(read.text), reversed(ALPHABET), strict=True)))

    def _promising(self, seen: Iterable[tuple[Inverse, Seen]]) -> Iterator[tuple[Inverse, Seen]]:
        """Inverses that bring the text closest, and those that first take another course."""
        texts = {each.text: (inverse, each) for inverse, each in reversed(list(seen)) if each.text}
        closest = sorted(texts, key=lambda text: -_closeness(text or ""))
        yield from (texts[text] for text in closest[:CLOSEST])
        new = 0
        for inverse, each in seen:
            if each.course not in self._courses and each.text is None and new < NOVEL:
                self._courses.add(each.course)
                new += 1
                yield inverse, each

    def _decoded(self, seen: Iterable[tuple[Inverse, Seen]]) -> Iterator[tuple[Inverse, Seen]]:
        """The encodings that the code names: something may have to stand around them."""
        named = {step.said for step in codings(self._hints)}
        for inverse, each in seen:
            if len(inverse.steps) == 1 and inverse.steps[0].said in named and each.text is None:
                yield inverse, each

    def _verified(self, inverses: Sequence[Inverse]) -> Inverse | None:
        """The closest of those that hold, the shortest first.

        A text may have a character in it that separates fields.
        """
        tried = sorted(inverses, key=lambda inverse: (len(inverse.steps), _length(inverse)))
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

    def _look(self, texts: Sequence[str]) -> list[Seen]:
        """Run the code on texts; raises ``_Spent`` where that is too much."""
        seen: list[Seen] = []
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


def _fits(text: str, seen: Seen) -> Likeness | None:
    return likeness(text, seen.asked)


def _length(inverse: Inverse) -> int:
    return len(inverse(TEXTS[0]) or "")


def _closeness(text: str) -> float:
    matcher = SequenceMatcher(None, TEXTS[0], text, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(TEXTS[0])
