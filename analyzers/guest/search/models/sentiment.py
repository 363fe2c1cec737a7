"""The sentiment of a text."""

from __future__ import annotations

import math
import random
from typing import Iterator, Tuple

from ..harvest import Pool
from .base import Answer, Symbols, any_number

Sentiment = Tuple[float, float]
_GRID = [
    n / 10 for n in (0, 9, -9, 5, -5, 2, -2, 1, -1, 3, -3, 4, -4, 6, -6, 7, -7, 8, -8, 10, -10)
]
_STRENGTHS = (0.0, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 15.0)
STRONGEST = 100.0


class SentimentModel:
    """Answers whose knobs are score (−1 to 1) and magnitude (at least 0)."""

    fields = ("document_sentiment", "score", "magnitude")
    bound = "any score from -1 to 1 and any magnitude"

    def start(self) -> Sentiment:
        """Neither positive nor negative."""
        return (0.0, 0.0)

    def seeds(self, pool: Pool) -> Iterator[Sentiment]:
        """A grid, then every threshold of the code with its neighbours."""
        for score in _GRID:
            yield (score, max(abs(score), 0.1))
        scores = [n for n in pool.numbers if -1 <= n <= 1]
        strengths = [n for n in pool.numbers if 0 <= n <= STRONGEST]
        for score in (*scores, *_GRID):
            for strength in (*strengths[:40], *_STRENGTHS):
                if strength >= abs(score) - 1e-9:
                    yield (score, strength)
        for score in scores:
            for strength in strengths[:40]:
                yield (score, strength)

    def mutate(self, knobs: Sentiment, rng: random.Random, pool: Pool) -> Sentiment:
        """Another score, another magnitude, or both."""
        score, strength = knobs
        if rng.random() < 0.6:
            score = any_number(rng, pool, -1.0, 1.0)
        if rng.random() < 0.6:
            strength = any_number(rng, pool, 0.0, rng.choice((1.0, 5.0, 30.0)))
        return score, strength

    def answer(self, knobs: Sentiment) -> Answer:
        """The document's sentiment, and one sentence with the same."""
        score, magnitude = knobs
        sentiment = {"score": score, "magnitude": magnitude}
        return {
            "document_sentiment": sentiment,
            "language": "en",
            "sentences": [
                {"text": {"content": "", "begin_offset": 0}, "sentiment": dict(sentiment)}
            ],
        }

    def simpler(self, knobs: Sentiment, pool: Pool) -> Iterator[Sentiment]:
        """Rounder numbers, ordinary ones first."""
        del pool
        score, strength = knobs
        for digits in (1, 2, 4):
            rounded = round(score, digits)
            yield (rounded, max(round(strength, digits), abs(rounded)))
            yield (rounded, round(strength, digits))

    def likelier(self, knobs: Sentiment) -> Iterator[Sentiment]:
        """A magnitude that a short text has."""
        score, strength = knobs
        yield (score, max(strength, abs(score)))

    def symbolic(self, symbols: Symbols, most: int) -> Sentiment:
        """Any score with any magnitude."""
        del most
        return (
            symbols.number("score", -1.0, 1.0),
            symbols.number("magnitude", 0.0, math.inf),
        )


SENTIMENT = SentimentModel()
