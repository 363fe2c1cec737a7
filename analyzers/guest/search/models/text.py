"""Text read from a picture."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any, Dict, Iterator, Tuple

from ..harvest import SAMPLES, Pool
from .base import Answer, Symbols, mutated_text, texts_like

_BOX = {"vertices": [{"x": x, "y": y} for x, y in ((4, 4), (90, 4), (90, 20), (4, 20))]}
LOCALE = "en"


class TextModel:
    """Answers whose knob is the whole text; an empty text was not found."""

    fields: Tuple[str, ...] = ("text_annotations", "description", "full_text_annotation", "text")
    bound = "any text"

    def start(self) -> str:
        """No text is found."""
        return ""

    def seeds(self, pool: Pool) -> Iterator[str]:
        """No text; every constant; constants together; long and many-lined texts."""
        yield ""
        yield "hello"
        yield from pool.near
        yield from pool.joined
        for sample in ("12.50", "99", "2024-05-17"):
            for text in pool.close[:40]:
                yield f"{text} {sample}"
                yield f"{text}: {sample}"
                yield f"{text}{sample}"
                yield f"{sample} {text}"
        for number, text in itertools.product(pool.numbers[:12], pool.close[:12]):
            yield f"{text} {number:g}"
            yield f"{text}{number:g}"
            yield f"{number:g} {text}"
        for count in pool.counts:
            yield "a" * count
            yield " ".join("word" for _ in range(count))
            yield "\n".join("line" for _ in range(count))
            yield "7" * count
        for number in pool.numbers:
            yield f"{number:g}"
            yield f"{number:.2f}"
        yield "one two three four\nfive six seven eight\nnine ten eleven twelve"
        for text in pool.close[:20]:
            yield json.dumps({text: True})
        for first, second in itertools.permutations(SAMPLES, 2):
            yield first + second
        yield " ".join(pool.close)
        yield "\n".join(pool.close)

    def mutate(self, knobs: str, rng: random.Random, pool: Pool) -> str:
        """One change, now and then a number of the code put in."""
        if pool.numbers and rng.random() < 0.15:
            number = rng.choice(pool.numbers)
            return f"{knobs} {number:g}" if rng.random() < 0.5 else f"{knobs}\n{number:.2f}"
        return mutated_text(knobs, rng, pool)[:2000]

    def answer(self, knobs: str) -> Answer:
        """The text as a whole, and its words where the text is known."""
        if not knobs:
            return {"text_annotations": []}
        found = [{"locale": LOCALE, "description": knobs, "bounding_poly": _BOX}]
        if type(knobs) is str:
            found += [_word(word) for word in knobs.split()]
        return {
            "text_annotations": found,
            "full_text_annotation": {"text": knobs, "pages": []},
        }

    def simpler(self, knobs: str, pool: Pool) -> Iterator[str]:
        """Constants in the text, then the text without a part of it."""
        return texts_like(knobs, pool)

    def likelier(self, knobs: str) -> Iterator[str]:
        """The text without blanks around it."""
        yield knobs.strip()

    def symbolic(self, symbols: Symbols, most: int) -> str:
        """Any text."""
        del most
        return symbols.text("text")


def _word(word: str) -> Dict[str, Any]:
    return {"description": word, "bounding_poly": _BOX}


TEXT = TextModel()
