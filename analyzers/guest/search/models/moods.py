"""The sentiment of a text as one of four words, with a score for each."""

from __future__ import annotations

import itertools
import random
from typing import Any, Callable, Dict, Iterator, Sequence, Tuple

from ..harvest import Pool
from .base import Answer, Symbols, any_number

Mood = Tuple[int, Tuple[float, ...]]
_SHARES = (0.95, 0.8, 0.6, 0.5, 0.4, 0.99)


class MoodModel:
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

    def seeds(self, pool: Pool) -> Iterator[Mood]:
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

    def mutate(self, knobs: Mood, rng: random.Random, pool: Pool) -> Mood:
        """Other scores, and the word that goes with them."""
        del knobs
        first, second = rng.sample(range(len(self._words)), 2)
        share = max(0.5, any_number(rng, pool, 0.0, 1.0))
        return self._pair(first, second, share) if rng.random() < 0.5 else self._mood(first, share)

    def answer(self, knobs: Mood) -> Answer:
        """The word and its scores."""
        number, scores = knobs
        return self._write(self._words[number], dict(zip(self._words, scores)))

    def simpler(self, knobs: Mood, pool: Pool) -> Iterator[Mood]:
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


COMPREHEND_SENTIMENT = MoodModel(
    ("NEUTRAL", "POSITIVE", "NEGATIVE", "MIXED"), ("Sentiment", "SentimentScore"), _comprehend
)
AZURE_SENTIMENT = MoodModel(
    ("neutral", "positive", "negative", "mixed"), ("sentiment", "confidence_scores"), _azure
)
