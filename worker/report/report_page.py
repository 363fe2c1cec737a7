"""The page of a report, made from its document: the same for ``/runs/<id>`` and HTML files."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import quote

from markupsafe import Markup, escape

from analyzers.vocabulary import Status, Suggestion
from worker.report import appendix, report_messages
from worker.report.answered_inputs import ORIGINS
from worker.report.code_excerpt import CodeLine, code_lines
from worker.report.evidence_bars import Document, bars_of
from worker.report.heat_map import heat_map, range_words
from worker.report.layer_errors import layers_of, layers_sentence
from worker.report.report_templates import prose
from worker.report.stored_report import StoredFinding, StoredReport, stored
from worker.report.valid_input_messages import OFFERED, AnnotationOffer, offers_of

MAX_INPUTS = 12
FEW_INPUTS = 4
MAX_TEXT_LENGTH = 600
MOST_DETAILED = 40
LONG = 4

MEDIA_TYPES = {
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

FileAddress = Callable[[str], str | None]
"""Gives the address of a file of the report; ``None`` for one that the page cannot show."""

_SEPARATOR = re.compile(r"[./_]|::")
_SAID = re.compile(r"score (-?\d+(?:\.\d+)?), magnitude (\d+(?:\.\d+)?)")
_CUT = re.compile(r"\b(score|magnitude)\s*[<>]=?\s*(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class InputCard:
    """One input: a picture, a sound, a text or a tensor; what was wanted and what the API said."""

    description: str
    media: str
    address: str | None
    name: str
    text: str | None
    wanted: str
    answer: str
    origin: str
    made: bool
    range: str
    heat: Markup | None


@dataclass(frozen=True, slots=True)
class InputGroup:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty."""

    title: str
    mark: str
    cards: Sequence[InputCard]
    more: int

    @property
    def texts(self) -> bool:
        """Return whether the cards are of texts, which are wider than pictures and numbers."""
        return self.cards[0].text is not None and not any(card.made for card in self.cards)

    @property
    def first(self) -> Sequence[InputCard]:
        """Return the cards that are shown at once: all where few would be hidden."""
        return self.cards if len(self.cards) <= FEW_INPUTS + 2 else self.cards[:FEW_INPUTS]

    @property
    def folded(self) -> Sequence[InputCard]:
        """Return the cards that are folded away."""
        return self.cards[len(self.first) :]


@dataclass(frozen=True, slots=True)
class CodePane:
    """The lines of one side, under a title."""

    title: str
    lines: Sequence[CodeLine]


@dataclass(frozen=True, slots=True)
class CallPane:
    """A call and what came of it, to be compared with another."""

    title: str
    call: str
    outcome: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with all that its part of the page shows; ``brief``: on one line."""

    finding: StoredFinding
    brief: bool
    ignored: bool
    standing: str
    settled: bool
    charts: Sequence[Markup]
    measured: Sequence[str]
    changes: Sequence[Document]
    code: Sequence[CodePane]
    calls: Sequence[CallPane]
    groups: Sequence[InputGroup]
    suggestion: Suggestion | None
    diff: Sequence[str]
    offers: Sequence[AnnotationOffer]
    evidence: Sequence[tuple[str, str]]
    program: str
    link: str | None
    reproducer: str | None


@dataclass(frozen=True, slots=True)
class PageView:
    """All that a report's page shows."""

    report: Document
    told: StoredReport
    findings: Sequence[FindingView]
    credits: Sequence[str]

    @property
    def repository(self) -> str:
        """Return the repository's name; of a checkout that of its folder."""
        name = str(self.report.get("repository", ""))
        return PurePosixPath(name).name if name.startswith("/") else name

    @property
    def long(self) -> bool:
        """Return whether the page is longer than a screen, so that it needs a list of contents."""
        return len(self.findings) >= LONG


def page_view(report: Document, address: FileAddress, source_url: str | None = None) -> PageView:
    """Return a document's page; ``source_url`` is where the files of head can be read."""
    told = stored(report)
    pairs = zip(told.findings, cast("Sequence[Document]", report["findings"]), strict=True)
    ordered = sorted(pairs, key=lambda pair: report_messages.rank(pair[0], told))
    views = [
        _view(finding, document, told, address, source_url, brief=place >= MOST_DETAILED)
        for place, (finding, document) in enumerate(ordered)
    ]
    return PageView(report, told, views, _credits(report))


def media_type_of(name: str) -> str | None:
    """Return what a browser may show a file as, by its name; ``None``: only save."""
    return MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())


def files_of(report: Document | None) -> Iterator[str]:
    """Yield the names of the files that a report's page links to."""
    for finding in (report or {}).get("findings", ()):
        for item in finding.get("inputs", ()):
            if item.get("file"):
                yield str(item["file"])
        for name in ("reproducer", "replay"):
            if finding.get(name):
                yield str(finding[name])


def _credits(report: Document) -> list[str]:
    """Return whose the inputs are, each once."""
    origins: Iterator[Document] = (
        item.get("origin") or {}
        for finding in report["findings"]
        for item in finding.get("inputs", ())
    )
    said = (
        ", ".join(str(origin[key]) for key in ("author", "licence", "url") if origin.get(key))
        for origin in origins
    )
    return sorted({credit for credit in said if credit})


def _view(
    finding: StoredFinding,
    document: Document,
    told: StoredReport,
    address: FileAddress,
    source_url: str | None,
    *,
    brief: bool,
) -> FindingView:
    suggestion = report_messages.suggested(finding) or report_messages.unverified(finding)
    link = f"{source_url}/{quote(finding.path)}#L{finding.line}" if source_url else None
    return FindingView(
        finding=finding,
        brief=brief,
        ignored=finding.fingerprint in told.ignored,
        standing=report_messages.status_sentence(finding, told),
        settled=finding.fingerprint in told.ignored
        or finding.status in (Status.EXISTING, Status.FIXED),
        charts=[] if brief else _charts(document, finding),
        measured=_measured(finding),
        changes=report_messages.changes_of(finding),
        code=_code(document, finding),
        calls=_calls(document),
        groups=[] if brief else _groups(document, address),
        suggestion=suggestion,
        diff=_diff(document) if suggestion else [],
        offers=offers_of(finding.evidence),
        evidence=report_messages.evidence_lines(finding),
        program=report_messages.program_text(finding),
        link=link,
        reproducer=finding.reproducer and address(finding.reproducer),
    )


# ------------------------------------------------------------------ code


def _diff(document: Document) -> list[str]:
    """Return the suggestion as a unified diff; without the current lines only the new ones."""
    change: Document = document["suggestion"]
    old = str(change["original"]).split("\n") if "original" in change else []
    new = str(change["replacement"]).splitlines()
    if not old:
        return [f"+{line}" for line in new]
    lines = list(unified_diff(old, new, lineterm="", n=3))[3:]
    first = change["start_line"]
    heading = f"@@ -{first},{len(old)} +{first},{len(new)} @@"
    return [heading, *(line for line in lines if not line.startswith("@@"))]


def _code(document: Document, finding: StoredFinding) -> list[CodePane]:
    code: Document = document.get("code") or {}
    head, base = code.get("head"), code.get("base")
    if not head:
        return []
    marked = range(finding.line, finding.end_line + 1)
    pane = CodePane(
        "This change" if base is not None else "The code", code_lines(head, base, marked)
    )
    if not base or not str(base["text"]).strip():
        return [pane]
    return [CodePane("Base", code_lines(base, head)), pane]


def _calls(document: Document) -> list[CallPane]:
    """Return the two calls, executions or revisions that disagree, where the evidence has them."""
    evidence: Document = document["evidence"]
    outcome, expected = _words(evidence.get("outcome")), _words(evidence.get("expected"))
    call, related = evidence.get("call"), evidence.get("related")
    if isinstance(call, str) and isinstance(related, str):
        agreed = "" if related == expected else expected
        return [
            CallPane("The call", call, outcome),
            CallPane("Should agree with", related, agreed),
        ]
    made = _made(evidence.get("arguments"))
    if document["rule"].startswith("model/") and outcome and expected:
        executions = _words(evidence.get("executions")) or "Another execution"
        return [
            CallPane(executions, made, outcome),
            CallPane("Double precision", made, expected),
        ]
    base, head = _words(evidence.get("base")), _words(evidence.get("head"))
    if base and head:
        return [CallPane("Base", made, base), CallPane("This change", made, head)]
    return []


def _made(arguments: Any) -> str:
    """Return arguments as they are written in a call, one a line."""
    pairs = cast("Document", arguments) if isinstance(arguments, Mapping) else {}
    return "\n".join(f"{name} = {_words(value)}" for name, value in pairs.items())


def _words(value: Any) -> str:
    return "" if value is None else report_messages.value_text(value)


# ------------------------------------------------------------------ charts


def _measured(finding: StoredFinding) -> list[str]:
    layers = layers_of(finding.rule, finding.evidence)
    said = [bar.words for bar in bars_of(finding.evidence)]
    return [*said, layers_sentence(layers)] if layers else said


def _charts(document: Document, finding: StoredFinding) -> list[Markup]:
    bars = bars_of(finding.evidence)
    layers = layers_of(finding.rule, finding.evidence)
    texts = _rated_texts(document)
    if not bars and not texts and not layers:
        return []
    from worker.report import charts  # noqa: PLC0415 - only a page with charts needs matplotlib

    drawn = [charts.bar_chart(bars)] if bars else []
    if layers:
        drawn.append(charts.layer_chart(layers))
    if texts:
        now = [charts.Cut(*cut, suggested=False) for cut in _cuts(_marked_text(document, finding))]
        then = [charts.Cut(*cut, suggested=True) for cut in _cuts(_repaired_text(document))]
        rated = [charts.RatedText(*text) for text in texts]
        drawn.append(charts.sentiment_chart(rated, now + then))
    return drawn


def _rated_texts(document: Document) -> list[tuple[float, float, bool]]:
    if document["rule"] != "cloud/mixed-sentiment":
        return []
    said = [
        (found, item.get("reading"))
        for item in document["inputs"]
        if (found := _SAID.search(str(item.get("answer"))))
    ]
    return [(float(f[1]), float(f[2]), reading == "positive") for f, reading in said]


def _cuts(text: str) -> list[tuple[str, float]]:
    return list(dict.fromkeys((found[1], float(found[2])) for found in _CUT.finditer(text)))


def _marked_text(document: Document, finding: StoredFinding) -> str:
    head: Document = (document.get("code") or {}).get("head") or {}
    marked = range(finding.line, finding.end_line + 1)
    return "\n".join(
        line.text for line in (code_lines(head, None, marked) if head else ()) if line.marked
    )


def _repaired_text(document: Document) -> str:
    change: Document = document.get("suggestion") or {}
    return f"{document['evidence'].get('formula') or ''}\n{change.get('replacement') or ''}"


# ------------------------------------------------------------------ inputs


def _groups(finding: Document, address: FileAddress) -> list[InputGroup]:
    inputs: Sequence[Document] = finding.get("inputs", ())
    return [_group(*part, address) for part in _split(inputs, finding["evidence"]) if part[2]]


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
    kinds = Counter(item.get("kind") for item in inputs)
    return [("Arguments" if kinds["value"] == len(inputs) else "Inputs", "", inputs)]


def _group(title: str, mark: str, inputs: Sequence[Document], address: FileAddress) -> InputGroup:
    cards = [_card(item, address) for item in inputs[:MAX_INPUTS]]
    return InputGroup(title, mark, cards, max(0, len(inputs) - MAX_INPUTS))


def _card(item: Document, address: FileAddress) -> InputCard:
    file = str(item.get("file") or "")
    media = (media_type_of(file) or "").partition("/")[0]
    description, value = str(item.get("description", "")), item.get("value")
    made, tensor = item.get("kind") == "value", cast("Document", item.get("tensor") or {})
    text = None if value is None else _text(str(value))
    if text is not None and description.startswith("argument "):
        text, description = f"{description} = {text}", ""
    if made and description.endswith(f": {text}"):
        text = None
    reading = item.get("reading")
    return InputCard(
        description="" if text is not None and description == text else description,
        media=media,
        address=address(file) if file else None,
        name=PurePosixPath(file).name,
        text=text,
        wanted=str(reading) if isinstance(reading, str) and not made else "",
        answer=str(item.get("answer") or ""),
        origin=next((o for by, o in ORIGINS.items() if by == item.get("answered_by")), ""),
        made=made,
        range=range_words(tensor),
        heat=heat_map(tensor.get("cells") or ()),
    )


def _text(value: str) -> str:
    """Return the text that a Python literal stands for; of anything else, itself."""
    text: str = value
    if value[:1] in {"'", '"'}:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            text = str(ast.literal_eval(value))
    return report_messages.clipped(text, MAX_TEXT_LENGTH)


def breakable(text: str) -> Markup:
    """Return a path or a dotted name that a line may end in after its separators."""
    return Markup(_SEPARATOR.sub("\\g<0><wbr>", str(escape(text))))  # noqa: S704 - escaped


def page_values(view: PageView | None) -> Mapping[str, object]:
    """Return what the template of a report needs besides its frame."""
    return {
        "view": view,
        "words": report_messages,
        "appendix": appendix,
        "prose": prose,
        "offered": OFFERED,
        "breakable": breakable,
    }
