"""Texts with a clear feeling: tweets that twenty people have rated (C. J. Hutto, E. Gilbert, 2014).

Licence, source and what was left out: ``worker/data/sentiment/LICENSE``.  A mean near zero may
hide raters who disagree: a neutral text must have no word of feeling either.
"""

from __future__ import annotations

import functools
import html
import random
import re
from importlib.resources import files

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, Origin
from worker.engines.local.sentiment_analysis import LocalSentiment

CLEAR = 1.5
NEUTRAL = 0.3
SHORTEST = 20
LONG = 80
_SENTENCES = re.compile(r"\w[^.!?…]*[.!?…]+(?=\s|$)|\w[^.!?…]*$")
READINGS = ("positive", "negative", "neutral")
_ORIGIN = Origin(
    "rated tweets",
    "https://github.com/cjhutto/vaderSentiment",
    "C. J. Hutto and E. Gilbert",
    "MIT",
)


def find(wanted: InputRequest, count: int, seed: int) -> InputSupply:
    """Return texts rated as ``wanted.reading``, long ones of several sentences first.

    A longer supply begins with a shorter one.
    """
    reading = (wanted.reading or "").casefold()
    if reading not in READINGS:
        return InputSupply(
            (), f"no text is rated {wanted.reading!r}; there is {', '.join(READINGS)}"
        )
    texts = list(_texts()[reading])
    random.Random(f"{seed}/{reading}").shuffle(texts)  # noqa: S311
    texts.sort(key=_brevity)
    chosen = texts[:count]
    shortfall = None if len(chosen) == count else f"only {len(texts)} texts are rated {reading}"
    return InputSupply(tuple(_input(text, wanted.reading) for text in chosen), shortfall)


def _brevity(text: str) -> int:
    """Return 0 for long texts of several sentences, 1 for what is either, 2 for the others.

    APIs are surer of much text, and what people send is seldom a single short sentence.
    """
    return 2 - (len(text) >= LONG) - (len(_SENTENCES.findall(text)) > 1)


def _input(text: str, reading: str | None) -> Input:
    return Input(InputKind.TEXT, text.encode(), text, reading, ".txt", _ORIGIN)


@functools.cache
def _texts() -> dict[str, tuple[str, ...]]:
    polarity = LocalSentiment().polarity
    data = files("worker.data").joinpath("sentiment", "tweets.tsv")
    found: dict[str, dict[str, None]] = {reading: {} for reading in READINGS}
    for line in data.read_text("utf-8").splitlines():
        _, valence, raw = line.split("\t", 2)
        text = " ".join(html.unescape(raw).split())
        reading = _reading(float(valence))
        if reading is None or len(text) < SHORTEST:
            continue
        if reading != "neutral" or polarity(text) == 0:
            found[reading][text] = None
    return {reading: tuple(texts) for reading, texts in found.items()}


def _reading(valence: float) -> str | None:
    if valence >= CLEAR:
        return "positive"
    if valence <= -CLEAR:
        return "negative"
    return "neutral" if abs(valence) < NEUTRAL else None
