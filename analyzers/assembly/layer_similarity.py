"""How alike two layers are: their definitions and their parameter lists (MoCo, section III-C).

The definitions are compared by the cosine of their TF-IDF vectors instead of sentence
embeddings; the parameter lists by the word correctness rate, where a parameter is a word and
two are the same word when their names or their types agree in that position.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypeVar

from analyzers.assembly.layer_tables import LayerApi, LayerParameter

Item = TypeVar("Item")


def roulette_choice(choices: Sequence[tuple[Item, float]], rng: random.Random) -> Item | None:
    """Return a choice drawn by weight; ``None`` where all weigh nothing."""
    ends = list(accumulate(max(0.0, weight) for _, weight in choices))
    if not ends or ends[-1] <= 0:
        return None
    point = rng.random() * ends[-1]
    return next(
        (item for (item, _), end in zip(choices, ends, strict=True) if point < end),
        choices[-1][0],
    )


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+d?")
Vector = Mapping[str, float]
LEAST = 0.02
"""What a pair with no word and no type in common counts: nothing is out of reach."""


class Similarity:
    """The similarity of each pair of some APIs."""

    def __init__(self, apis: Mapping[str, LayerApi]) -> None:
        self._apis = apis
        self._vectors = _vectors({name: _words(api) for name, api in apis.items()})
        self._rows: dict[str, tuple[tuple[str, float], ...]] = {}

    def of(self, one: str, other: str) -> float:
        """Return how alike two APIs are, from 0 to 1; it depends on the order."""
        definitions = cosine(self._vectors[one], self._vectors[other])
        rate = word_correctness(self._apis[one].parameters, self._apis[other].parameters)
        return (definitions + rate) / 2

    def row(self, one: str) -> tuple[tuple[str, float], ...]:
        """Return all other APIs with their similarity to one, at least :data:`LEAST`."""
        if one not in self._rows:
            others = (other for other in self._apis if other != one)
            self._rows[one] = tuple((other, max(LEAST, self.of(one, other))) for other in others)
        return self._rows[one]


def _words(api: LayerApi) -> list[str]:
    name = api.name.rpartition(".")[2]
    return [word.lower() for word in _WORD.findall(f"{name} {api.describes}")]


def _vectors(texts: Mapping[str, Sequence[str]]) -> dict[str, Vector]:
    seen = Counter(word for words in texts.values() for word in set(words))
    vectors = dict[str, Vector]()
    for name, words in texts.items():
        weights = {
            word: count * (math.log((1 + len(texts)) / (1 + seen[word])) + 1)
            for word, count in Counter(words).items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors[name] = {word: weight / length for word, weight in weights.items()}
    return vectors


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors of length 1."""
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def word_correctness(
    reference: Sequence[LayerParameter], hypothesis: Sequence[LayerParameter]
) -> float:
    """Return the share of the reference's parameters that an edit of least cost keeps.

    With no parameters in the reference it is 1 where the other has none either, else 0.
    """
    if not reference:
        return 0.0 if hypothesis else 1.0
    best = [(column, 0) for column in range(len(hypothesis) + 1)]
    for row, wanted in enumerate(reference, 1):
        previous, best = best, [(row, 0)]
        for column, given in enumerate(hypothesis, 1):
            same = wanted.name == given.name or (
                bool(wanted.kinds) and wanted.kinds[:1] == given.kinds[:1]
            )
            cost, kept = previous[column - 1]
            best.append(
                min(
                    (cost + (not same), kept - same),
                    (previous[column][0] + 1, previous[column][1]),
                    (best[column - 1][0] + 1, best[column - 1][1]),
                )
            )
    return -best[-1][1] / len(reference)
