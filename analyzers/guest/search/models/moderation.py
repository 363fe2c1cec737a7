"""What a moderation flags: categories with their scores."""

from __future__ import annotations

import random
from typing import Iterator, Tuple

from ..harvest import Pool
from .base import Answer, Symbols, any_number

Flags = Tuple[bool, Tuple[Tuple[bool, float], ...]]
CATEGORIES = (
    "harassment", "harassment_threatening", "hate", "hate_threatening", "illicit",
    "illicit_violent", "self_harm", "self_harm_instructions", "self_harm_intent", "sexual",
    "sexual_minors", "violence", "violence_graphic",
)  # fmt: skip
_LITTLE, _MUCH = 0.01, 0.95


class ModerationModel:
    """Answers whose knobs say of the whole and of each category if it is flagged, and its score."""

    fields = ("results", "flagged", "categories", "category_scores", *CATEGORIES)
    bound = "any categories with any scores"

    def start(self) -> Flags:
        """Nothing is flagged."""
        return _flags((), _MUCH)

    def seeds(self, pool: Pool) -> Iterator[Flags]:
        """Nothing; each category; all; a score about each threshold."""
        numbers = range(len(CATEGORIES))
        yield self.start()
        for number in numbers:
            yield _flags((number,), _MUCH)
        yield _flags(tuple(numbers), _MUCH)
        for threshold in pool.numbers:
            if 0 <= threshold <= 1:
                for number in numbers:
                    yield _flags((number,), threshold)

    def mutate(self, knobs: Flags, rng: random.Random, pool: Pool) -> Flags:
        """One category or a few, with another score."""
        del knobs
        chosen = rng.sample(range(len(CATEGORIES)), rng.randrange(4))
        return _flags(tuple(chosen), any_number(rng, pool, 0.0, 1.0))

    def answer(self, knobs: Flags) -> Answer:
        """One result with all categories."""
        flagged, categories = knobs
        named = list(zip(CATEGORIES, categories))
        result = {
            "flagged": flagged,
            "categories": {name: found for name, (found, _) in named},
            "category_scores": {name: score for name, (_, score) in named},
        }
        return {"results": [result]}

    def simpler(self, knobs: Flags, pool: Pool) -> Iterator[Flags]:
        """Nothing, then one of the categories."""
        del pool
        yield self.start()
        for number, (found, _) in enumerate(knobs[1]):
            if found:
                yield _flags((number,), _MUCH)

    def likelier(self, knobs: Flags) -> Iterator[Flags]:
        """The same categories with a high score."""
        yield _flags(tuple(n for n, (found, _) in enumerate(knobs[1]) if found), _MUCH)

    def symbolic(self, symbols: Symbols, most: int) -> Flags:
        """Any flags with any scores."""
        del most
        flagged = bool(symbols.count("flagged", 1))
        return flagged, tuple(
            (bool(symbols.count(name, 1)), symbols.number(f"{name}_score", 0.0, 1.0))
            for name in CATEGORIES
        )


def _flags(chosen: Tuple[int, ...], score: float) -> Flags:
    """Some categories with a score, flagged where it is high enough."""
    found = score >= 0.5
    return found and bool(chosen), tuple(
        (found and n in chosen, score if n in chosen else _LITTLE) for n in range(len(CATEGORIES))
    )


MODERATION = ModerationModel()
