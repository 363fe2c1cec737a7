"""A report's findings and inputs as a page shows them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import cast

from analyzers.vocabulary import Status, Suggestion
from worker.report import wording
from worker.report.answered import with_origin
from worker.report.bars import Bar, Document, bars_of
from worker.report.stored import StoredFinding, StoredReport

MOST_INPUTS = 24
LONGEST_TEXT = 1200

SHOWN = {
    ".bmp": "image/bmp",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".wav": "audio/wav",
    ".webp": "image/webp",
}
"""The files that a browser may show; any other it may only save."""


@dataclass(frozen=True, slots=True)
class Card:
    """One input; ``media`` is what a browser may show its ``file`` as."""

    description: str
    file: str | None
    media: str | None
    text: str | None
    answer: str
    credit: str


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty.

    ``credit`` is that of all of them; cards have their own where they differ.
    """

    title: str
    mark: str
    cards: Sequence[Card]
    more: int
    credit: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with all that its part of the page shows."""

    finding: Document
    standing: str
    settled: bool
    bars: Sequence[Bar]
    changes: Sequence[Document]
    groups: Sequence[Group]
    suggestion: Suggestion | None
    evidence: Sequence[tuple[str, str]]


def media_of(name: str) -> str | None:
    """What a browser may show a file as, by its name; ``None``: only save."""
    return SHOWN.get(PurePosixPath(name).suffix.lower())


def files_of(report: Document | None) -> Iterator[str]:
    """Yield the names of the files that a report's page links to."""
    for finding in (report or {}).get("findings", ()):
        for item in finding.get("inputs", ()):
            if item.get("file"):
                yield str(item["file"])
        for name in ("reproducer", "replay"):
            if finding.get(name):
                yield str(finding[name])


def views(report: Document, told: StoredReport) -> list[FindingView]:
    """The findings as they should be read: new and grave ones first, ignored last."""
    pairs = zip(told.findings, report["findings"], strict=True)
    ordered = sorted(pairs, key=lambda pair: wording.rank(pair[0], told))
    return [_view(document, finding, told) for finding, document in ordered]


def _view(document: Document, finding: StoredFinding, told: StoredReport) -> FindingView:
    return FindingView(
        finding=document,
        standing=wording.standing(finding, told),
        settled=bool(document.get("ignored")) or finding.status in (Status.EXISTING, Status.FIXED),
        bars=bars_of(finding.evidence),
        changes=wording.changes_of(finding),
        groups=_groups(document, finding.evidence),
        suggestion=wording.suggested(finding) or wording.unverified(finding),
        evidence=wording.evidence_lines(finding),
    )


def _groups(finding: Document, evidence: Document) -> list[Group]:
    inputs: Sequence[Document] = finding.get("inputs", ())
    return [_group(*part) for part in _split(inputs, evidence) if part[2]]


def _split(
    inputs: Sequence[Document], evidence: Document
) -> list[tuple[str, str, Sequence[Document]]]:
    """Part the inputs as the evidence does, where it says which are which."""
    missed = evidence.get("missed")
    if "positive" in evidence and "negative" in evidence:
        return [
            (f"{kind.title()} texts", "", [i for i in inputs if i.get("reading") == kind])
            for kind in ("positive", "negative")
        ]
    if isinstance(missed, Sequence) and evidence.get("inputs") == len(inputs):
        gone = set(cast("Sequence[int]", missed))
        return [
            ("Missed the branch", "missed", [i for n, i in enumerate(inputs) if n in gone]),
            ("Reached it", "reached", [i for n, i in enumerate(inputs) if n not in gone]),
        ]
    return [("Inputs", "", inputs)]


def _group(title: str, mark: str, inputs: Sequence[Document]) -> Group:
    cards = [_card(item) for item in inputs[:MOST_INPUTS]]
    more = max(0, len(inputs) - MOST_INPUTS)
    if len({card.credit for card in cards}) > 1:
        return Group(title, mark, cards, more, "")
    bare = [replace(card, credit="") for card in cards]
    return Group(title, mark, bare, more, cards[0].credit)


def _card(item: Document) -> Card:
    origin: Document = item.get("origin") or {}
    file = item.get("file")
    return Card(
        description=str(item.get("description", "")),
        file=file,
        media=None if file is None else media_of(file),
        text=None if item.get("value") is None else _text(str(item["value"])),
        answer=with_origin(str(item.get("answer") or ""), str(item.get("answered_by") or "")),
        credit=", ".join(str(origin[k]) for k in ("author", "licence", "url") if origin.get(k)),
    )


def _text(value: str) -> str:
    """The text that a Python literal stands for; of anything else, itself."""
    text: str = value
    if value[:1] in {"'", '"'}:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            text = str(ast.literal_eval(value))
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
