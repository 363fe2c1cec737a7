"""How what an API was asked about compares with what was meant."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from enum import IntEnum

from analyzers.vocabulary import Asked, Content, Form, Input, InputKind, Probe, Run

DRAWN_ANEW = frozenset({Form.PIL, Form.NUMPY})
FILES = {InputKind.IMAGE: "picture", InputKind.AUDIO: "recording"}


class Likeness(IntEnum):
    """How a text that was asked about is the one that was meant, the closest first.

    The same; but for the case of letters; the same words set otherwise; with
    more around it; in several questions.
    """

    EXACT = 0
    CASE = 1
    WORDS = 2
    WITHIN = 3
    PARTS = 4


SAID = {
    Likeness.CASE: "the text in other case",
    Likeness.WORDS: "the words of the text, set otherwise",
    Likeness.WITHIN: "a longer text with the given one in it",
    Likeness.PARTS: "the text in parts",
}


def likeness(meant: str, asked: Sequence[Asked]) -> Likeness | None:
    """How close the closest of the texts asked about comes; ``None``: another text."""
    digest = hashlib.sha256(meant.encode()).hexdigest()
    texts = [each.text for each in asked if each.text is not None]
    if any(each.digest == digest for each in asked):
        return Likeness.EXACT
    if any(text.casefold() == meant.casefold() for text in texts):
        return Likeness.CASE
    words = _words(meant)
    if not words:
        return None
    if any(_words(text) == words for text in texts):
        return Likeness.WORDS
    if any(_is_within(words, _words(text)) for text in texts):
        return Likeness.WITHIN
    return Likeness.PARTS if _words(" ".join(texts)) == words else None


def texts_of(api: str, run: Run) -> tuple[Asked, ...]:
    """The texts that an API was asked about in a run."""
    return tuple(a for a in run.asked if a.api == api and a.kind is InputKind.TEXT)


def altered(api: str, item: Input, probe: Probe, run: Run, meant: str | None) -> str | None:
    """What the API was asked about where it is not what was given; ``None``: the same.

    A picture given as an object of a library has no bytes of its own to
    compare with.  ``meant`` is the text that was to be asked about.
    """
    if meant is not None:
        like = likeness(meant, texts_of(api, run))
        return None if like is None else SAID.get(like)
    files = [a for a in run.asked if a.api == api and a.kind is item.kind]
    slots = [a.form for a in probe.arguments.values() if isinstance(a, Content)]
    if item.kind not in FILES or not files or DRAWN_ANEW & set(slots):
        return None
    return None if any(a.digest == item.digest for a in files) else f"another {FILES[item.kind]}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]", "", text.casefold()))


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    length = len(part)
    return any(whole[at : at + length] == part for at in range(len(whole) - length + 1))
