"""What an English text mentions: patterns for numbers and addresses, lists for names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from worker.engines.gazetteer import Gazetteer, gazetteer

LONGEST_NAME = 4
"""The most words of a place."""
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_DAY = r"(?:[0-3]?\d(?:st|nd|rd|th)?)"
_AMOUNT = r"\d+(?:,\d{3})*(?:\.\d+)?"
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Square|Boulevard|Blvd|Way|Place"
    r"|[A-Z][a-z]+)"
)
_UNIT = r"(?:kilograms?|kilos?|kg|pounds?|lbs?|grams?|tons?|liters?|litres?|miles?|meters?|metres?)"
# in the order in which they claim characters
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("email", r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"),
        ("url", r"(?:https?://|www\.)[^\s<>\"']{1,500}[^\s<>\"'.,;:!?)]"),
        ("ip", r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)"),
        (
            "date",
            rf"{_MONTH} {_DAY}(?:,? \d{{4}})?\b|\b{_DAY} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{4}}",
        ),
        ("date", r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"),
        ("date", r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[Tt]omorrow|[Yy]esterday)\b"),
        ("time", r"\b[0-2]?\d:[0-5]\d(?: ?[ap]\.?m\b)?|\b1?\d ?[ap]m\b"),
        ("price", rf"[$€£] ?{_AMOUNT}|\b{_AMOUNT} ?(?:[$€£]|(?:dollars?|euros?|USD|EUR|GBP)\b)"),
        (
            "phone",
            r"(?<![\w-])(?:\+\d{1,3}[ -]?)?(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{3,4}(?!\d)",
        ),
        (
            "address",
            rf"\b\d{{1,6}} (?:[A-Z][\w']{{1,30}} ){{1,3}}?{_STREET}\b(?: (?:Apt|Suite)\.? \d+)?",
        ),
        ("quantity", rf"\b{_AMOUNT} ?{_UNIT}\b"),
        (
            "organization",
            r"\b(?:[A-Z][\w'-]{0,30},? (?:and |& )?){1,4}"
            r"(?:Inc|LLC|Ltd|PLC|Group|Corp|Corporation|Company|Bank|University)\b",
        ),
        ("number", rf"(?<![\w.]){_AMOUNT}(?![\w-]|\.\d)"),
    )
)
_NAME = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity in a text: ``start`` and ``end`` count characters."""

    text: str
    kind: str
    start: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.text)


def mentions(text: str) -> list[Mention]:
    """What a text mentions, from left to right, without overlaps.

    A person is a known first name with a capitalized word behind it, or alone
    within a sentence.  Names are found as they are written in the lists.
    Raises ``NoAnswer`` where the lists are missing.
    """
    free = [True] * len(text)
    found: list[Mention] = []
    for mention in _candidates(text, gazetteer()):
        if all(free[mention.start : mention.end]):
            free[mention.start : mention.end] = [False] * len(mention.text)
            found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def _candidates(text: str, known: Gazetteer) -> Iterator[Mention]:
    for kind, pattern in _PATTERNS[:-1]:
        for match in pattern.finditer(text):
            yield Mention(match[0], kind, match.start())
    words = [match for match in _NAME.finditer(text) if match[0][0].isupper()]
    yield from _places(text, words, known)
    yield from _people(text, words, known)
    kind, pattern = _PATTERNS[-1]
    for match in pattern.finditer(text):
        yield Mention(match[0], kind, match.start())


def _places(text: str, words: list[re.Match[str]], known: Gazetteer) -> Iterator[Mention]:
    """The longest names first."""
    for size in range(LONGEST_NAME, 0, -1):
        for at in range(len(words) - size + 1):
            name = text[words[at].start() : words[at + size - 1].end()]
            within = size == 1 and _of_name(text, words, at, known)
            if name in known.places and not within:
                yield Mention(name, "location", words[at].start())


def _of_name(text: str, words: list[re.Match[str]], at: int, known: Gazetteer) -> bool:
    """Whether a word is part of a longer name (``Paris Smith``, ``Jack London``)."""
    before = at > 0 and words[at - 1][0] in known.first and _adjoin(text, words[at - 1], words[at])
    after = at + 1 < len(words) and _adjoin(text, words[at], words[at + 1])
    return before or (after and words[at + 1][0] not in known.places)


def _people(text: str, words: list[re.Match[str]], known: Gazetteer) -> Iterator[Mention]:
    for at, word in enumerate(words):
        if word[0] not in known.first:
            continue
        behind = words[at + 1] if at + 1 < len(words) else None
        if behind is not None and _adjoin(text, word, behind):
            yield Mention(text[word.start() : behind.end()], "person", word.start())
        elif text[: word.start()].rstrip()[-1:] not in {"", ".", "!", "?"}:
            yield Mention(word[0], "person", word.start())


def _adjoin(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    return text[left.end() : right.start()] == " "
