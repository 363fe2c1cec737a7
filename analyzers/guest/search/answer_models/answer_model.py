"""Interface of an answer model, and the questions that it may ask."""

from __future__ import annotations

import random
import re
from typing import Any, Dict, Iterator, List, Protocol, Tuple

from ..code_constants import ConstantPool

MutationParameters = Any
Answer = Dict[str, Any]


_NUMBER = re.compile(r"[\d.,:/%$€£+-]+$")


class Symbols(Protocol):
    """Makes the unknowns of a symbolic answer."""

    def text(self, name: str) -> str:
        """Any text."""
        ...

    def number(self, name: str, low: float, high: float) -> float:
        """Any number from ``low`` to ``high``."""
        ...

    def count(self, name: str, most: int) -> int:
        """Any length from 0 to ``most``, known: the search splits over it."""
        ...


class AnswerModel(Protocol):
    """Makes the valid answers of one family of APIs out of mutation parameters: plain values."""

    @property
    def fields(self) -> Tuple[str, ...]:
        """The names in the response that the knobs decide."""
        ...

    @property
    def bound(self) -> str:
        """Return which answers :meth:`symbolic` stands for; ``{most}`` is the list bound."""
        ...

    def start(self) -> MutationParameters:
        """The knobs of an answer without anything in it."""
        ...

    def seeds(self, pool: ConstantPool) -> Iterator[MutationParameters]:
        """Knobs worth trying first, the simplest before the others."""
        ...

    def mutate(
        self, knobs: MutationParameters, rng: random.Random, pool: ConstantPool
    ) -> MutationParameters:
        """Knobs that differ a little."""
        ...

    def answer(self, knobs: MutationParameters) -> Answer:
        """The canonical answer, its leaves taken from the knobs as they are."""
        ...

    def simpler(
        self, knobs: MutationParameters, pool: ConstantPool
    ) -> Iterator[MutationParameters]:
        """Knobs that a person may find simpler, the simplest first."""
        ...

    def likelier(self, knobs: MutationParameters) -> Iterator[MutationParameters]:
        """Knobs with more ordinary values that say the same."""
        ...

    def symbolic(self, symbols: Symbols, most: int) -> MutationParameters:
        """Knobs of unknowns, with at most ``most`` entries."""
        ...


def weight(knobs: MutationParameters, pool: ConstantPool) -> Tuple[int, int, int]:
    """Return how complicated knobs are: odd characters, unusual words, then size."""
    texts: List[str] = []
    size = 0
    stack = [knobs]
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple)):
            stack.extend(value)
            size += 1
        elif isinstance(value, str):
            texts.append(value)
    odd = sum(not is_plain(character) for text in texts for character in text)
    words = [word.casefold() for text in texts for word in text.split()]
    unusual = sum(not (word in pool.words or _NUMBER.match(word)) for word in words)
    return odd, unusual, size * 4 + sum(map(len, texts))


def is_plain(character: str) -> bool:
    """Return whether a character can stand in a search keyword or on a picture."""
    return character == "\n" or (character.isprintable() and ord(character) < 0x250)


def texts_like(text: str, pool: ConstantPool) -> Iterator[str]:
    """Texts simpler than ``text``: constants it contains, then its parts."""
    folded = text.casefold()
    for constant in pool.raw:
        inside = constant.casefold() if len(constant) > 2 else f" {constant.casefold()} "
        if constant != text and inside in f" {folded} ":
            yield constant
    cleaned = "".join(c if is_plain(c) else "a" for c in text)
    yield from (cleaned, "".join(filter(is_plain, text)), text.strip())
    step = max(len(text) // 2, 1)
    while step and len(text) > 1:
        for at in range(0, len(text), step):
            yield text[:at] + text[at + step :]
        step //= 2


def mutated_text(text: str, rng: random.Random, pool: ConstantPool) -> str:
    """A text with one change; most changes bring in a constant."""
    choice = rng.randrange(11)
    if choice < 2:
        return pool.pick(rng)
    if choice == 3:
        return pool.example(rng) + (f"\n{text}" if rng.random() < 0.3 else "")
    if choice == 2:
        words = rng.choices(pool.close or pool.near, k=rng.randrange(2, 5))
        return rng.choice((" ", "", "\n")).join(words)
    return _with_word(text, rng, pool) if choice < 8 else _edited(text, rng)


def _with_word(text: str, rng: random.Random, pool: ConstantPool) -> str:
    """A text with a constant beside it, in it, or in place of a part of it."""
    at = rng.randrange(len(text) + 1)
    word = pool.pick(rng)
    choice = rng.randrange(5)
    if choice < 3:
        between = rng.choice((" ", "\n", "", ", ", ": ", "-"))
        return text + between + word if rng.random() < 0.5 else word + between + text
    return text[:at] + word + text[at + (len(word) if choice == 3 else 0) :]


def _edited(text: str, rng: random.Random) -> str:
    """A text with a part left out, another case or another character."""
    at = rng.randrange(len(text) + 1)
    choice = rng.randrange(3)
    if choice == 0:
        return text[:at] + text[at + rng.randrange(1, 6) :]
    if choice == 1:
        return rng.choice((str.lower, str.upper, str.title, str.swapcase, str.strip))(text)
    return text[:at] + rng.choice("0159aZ .,-/:$€%\n") + text[at + rng.randrange(2) :]


def any_number(rng: random.Random, pool: ConstantPool, low: float, high: float) -> float:
    """A number in the range, often one near a threshold of the code."""
    if pool.numbers and rng.random() < 0.6:
        number = rng.choice(pool.numbers)
        number = number / 100 if abs(number) > high and rng.random() < 0.5 else number
        if low <= number <= high:
            return number
    return round(rng.uniform(low, high), 2)
