"""The sentiment of a text as one of four words, with a score for each."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any, Callable, Dict, Iterator, Sequence, Tuple

from ..code_constants import ConstantPool
from .answer_model import Answer, Symbols, any_number

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

    def seeds(self, pool: ConstantPool) -> Iterator[Sentiment]:
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

    def mutate(self, knobs: Sentiment, rng: random.Random, pool: ConstantPool) -> Sentiment:
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

    def simpler(self, knobs: Sentiment, pool: ConstantPool) -> Iterator[Sentiment]:
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

Mood = Tuple[int, Tuple[float, ...]]
_SHARES = (0.95, 0.8, 0.6, 0.5, 0.4, 0.99)


class SentimentWordModel:
    """Answers whose knobs are the number of the word and the scores of all words.

    ``words`` begin with the one of a text that says nothing.  Their scores
    add up to 1 and the word's is the highest; symbolic ones may be any.
    """

    bound = "any of the four sentiments with any scores"

    def __init__(
        self,
        words: Sequence[str],
        fields: Tuple[str, ...],
        write: Callable[[str, Dict[str, float]], Answer],
    ) -> None:
        self.fields = fields
        self._words = tuple(words)
        self._write = write

    def start(self) -> Mood:
        """The word of a text that says nothing."""
        return self._mood(0, _SHARES[0])

    def seeds(self, pool: ConstantPool) -> Iterator[Mood]:
        """Every word, likely and less so; two words; the thresholds of the code."""
        count = len(self._words)
        high = [number for number in pool.numbers if 1 / count <= number <= 1]
        for share, number in itertools.product((*_SHARES, *high), range(count)):
            yield self._mood(number, share)
        for first, second in itertools.permutations(range(count), 2):
            yield self._pair(first, second, 0.55)
        low = [number for number in pool.numbers if 0 <= number < 0.5]
        for threshold, first in itertools.product(low, range(count)):
            yield self._pair(first, (first + 1) % count, 1 - threshold)

    def mutate(self, knobs: Mood, rng: random.Random, pool: ConstantPool) -> Mood:
        """Other scores, and the word that goes with them."""
        del knobs
        first, second = rng.sample(range(len(self._words)), 2)
        share = max(0.5, any_number(rng, pool, 0.0, 1.0))
        return self._pair(first, second, share) if rng.random() < 0.5 else self._mood(first, share)

    def answer(self, knobs: Mood) -> Answer:
        """The word and its scores."""
        number, scores = knobs
        return self._write(self._words[number], dict(zip(self._words, scores)))

    def simpler(self, knobs: Mood, pool: ConstantPool) -> Iterator[Mood]:
        """The same word with a likely score."""
        del pool
        for share in _SHARES[:3]:
            yield self._mood(knobs[0], share)

    def likelier(self, knobs: Mood) -> Iterator[Mood]:
        """The same word with the likeliest score."""
        yield self._mood(knobs[0], _SHARES[0])

    def symbolic(self, symbols: Symbols, most: int) -> Mood:
        """Any word with any scores."""
        del most
        number = symbols.count("word", len(self._words) - 1)
        scores = (symbols.number(f"score{n}", 0.0, 1.0) for n in range(len(self._words)))
        return number, tuple(scores)

    def _mood(self, number: int, share: float) -> Mood:
        others = round((1 - share) / (len(self._words) - 1), 4)
        scores = (share if n == number else others for n in range(len(self._words)))
        return number, tuple(scores)

    def _pair(self, first: int, second: int, share: float) -> Mood:
        scores = [0.0] * len(self._words)
        scores[first], scores[second] = share, round(1 - share, 4)
        return first, tuple(scores)


def _comprehend(word: str, scores: Dict[str, float]) -> Answer:
    return {
        "Sentiment": word,
        "SentimentScore": {name.title(): score for name, score in scores.items()},
    }


def _azure(word: str, scores: Dict[str, float]) -> Answer:
    rated: Dict[str, Any] = {name: score for name, score in scores.items() if name != "mixed"}
    sentence = {"text": "", "sentiment": word, "confidence_scores": dict(rated)}
    whole = word != "mixed"
    return {
        "sentiment": word,
        "confidence_scores": rated,
        "sentences": [{**sentence, "mined_opinions": []}] if whole else [],
        "warnings": [],
    }


COMPREHEND_SENTIMENT = SentimentWordModel(
    ("NEUTRAL", "POSITIVE", "NEGATIVE", "MIXED"), ("Sentiment", "SentimentScore"), _comprehend
)
AZURE_SENTIMENT = SentimentWordModel(
    ("neutral", "positive", "negative", "mixed"), ("sentiment", "confidence_scores"), _azure
)
