"""The report as one page that needs nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from PIL import Image

from analyzers.vocabulary import Finding, Input, InputKind, Mixes, Probe, Report
from worker.report import appendix, report_messages
from worker.report.answered_inputs import AnsweredInput, answered_inputs
from worker.report.argument_messages import values_of
from worker.report.artifacts import Artifacts
from worker.report.evidence_bars import bars_of
from worker.report.markdown_escape import inert
from worker.report.report_templates import TEMPLATES, environment, prose
from worker.report.valid_input_messages import OFFERED, offers_of

WIDTH, HEIGHT = 320, 240
MOST_PIXELS = 50_000_000
LARGEST_UNTOUCHED = 12_000
_UNTOUCHED = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif"}


def thumbnail(content: bytes) -> str | None:
    """Return a ``data:`` URI of at most 320 x 240 pixels; ``None`` for no picture."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(content))
            if image.width * image.height > MOST_PIXELS:
                return None
            kind = _UNTOUCHED.get(image.format or "")
            small = image.width <= WIDTH and image.height <= HEIGHT
            if kind and small and len(content) <= LARGEST_UNTOUCHED:
                image.verify()
                return _uri(kind, content)
            image.thumbnail((WIDTH, HEIGHT))
            flat = Image.new("RGB", image.size, "white")
            layered = image.convert("RGBA")
            flat.paste(layered, mask=layered.getchannel("A"))
            buffer = io.BytesIO()
            flat.save(buffer, "JPEG", quality=82)
            return _uri("image/jpeg", buffer.getvalue())
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
        return None


def _uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


MOST_INPUTS = 12
LONGEST_TEXT = 600
LARGEST_SOUND = 1_000_000
SOUNDS = {
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
}


@dataclass(frozen=True, slots=True)
class ShownInput:
    """One input as a card: a picture, a sound or a text, and what the API answered."""

    description: str
    picture: str | None
    sound: str | None
    text: str | None
    answer: str
    credit: str


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty."""

    title: str
    mark: str
    cards: Sequence[ShownInput]
    more: int


def to_html(report: Report, artifacts: Artifacts | None = None) -> str:
    """Return the page, with pictures inside and a policy that lets nothing else in."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    template = environment().get_template("report.html.j2")
    page = template.render(
        report=report,
        words=report_messages,
        appendix=appendix,
        prose=prose,
        offered=OFFERED,
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii"),
        findings=[
            _view(finding, report, artifacts) for finding in report_messages.sorted_findings(report)
        ],
    )
    return inert(page)


def _view(finding: Finding, report: Report, artifacts: Artifacts | None) -> dict[str, object]:
    files = artifacts.of(finding) if artifacts else None
    suggestion = report_messages.suggested(finding) or report_messages.unverified(finding)
    source = artifacts.sources.get(suggestion.path) if artifacts and suggestion else None
    return {
        "finding": finding,
        "standing": report_messages.status_sentence(finding, report),
        "ignored": finding.fingerprint in report.ignored,
        "bars": bars_of(finding.evidence),
        "changes": report_messages.changes_of(finding),
        "evidence": report_messages.evidence_lines(finding),
        "groups": _groups(finding),
        "suggestion": suggestion,
        "diff": report_messages.suggestion_diff(suggestion, source) if suggestion else [],
        "offers": offers_of(finding.evidence),
        "reproducer": files.reproducer if files else None,
    }


def _groups(finding: Finding) -> list[FindingGroup]:
    probes = list(finding.probes)
    missed = finding.evidence.get("missed")
    if isinstance(finding.criterion, Mixes):
        split = finding.criterion.positives
        parts = [("Positive texts", "", probes[:split]), ("Negative texts", "", probes[split:])]
    elif isinstance(missed, Sequence) and not isinstance(missed, str):
        parts = [
            ("Missed the branch", "missed", [p for i, p in enumerate(probes) if i in missed]),
            ("Reached it", "reached", [p for i, p in enumerate(probes) if i not in missed]),
        ]
    else:
        parts = [("Inputs", "", probes)]
    known = {each.item.digest: each for each in answered_inputs(finding)}
    groups = [_group(*part, known) for part in parts if any(probe.inputs for probe in part[2])]
    return groups or _values(finding)


def _values(finding: Finding) -> list[FindingGroup]:
    found = values_of(finding)
    told = [
        value.description
        if value.description.endswith(f": {value.source}")
        else f"{value.description} = {value.source}"
        for value in found[:MOST_INPUTS]
    ]
    cards = [
        ShownInput("", None, None, report_messages.clipped(text, LONGEST_TEXT), "", "")
        for text in told
    ]
    return [FindingGroup("Arguments", "", cards, max(0, len(found) - MOST_INPUTS))] if found else []


def _group(
    title: str, mark: str, probes: Sequence[Probe], known: Mapping[str, AnsweredInput]
) -> FindingGroup:
    digests = list(dict.fromkeys(item.digest for probe in probes for item in probe.inputs))
    cards = [_card(known[digest]) for digest in digests[:MOST_INPUTS]]
    return FindingGroup(title, mark, cards, max(0, len(digests) - MOST_INPUTS))


def _card(answered: AnsweredInput) -> ShownInput:
    item = answered.item
    text = item.kind in (InputKind.TEXT, InputKind.VALUE)
    origin = item.origin
    return ShownInput(
        item.description,
        thumbnail(item.content) if item.kind is InputKind.IMAGE else None,
        _sound(item),
        report_messages.clipped(report_messages.text_of(item), LONGEST_TEXT) if text else None,
        answered.said,
        ", ".join(part for part in (origin.author, origin.licence, origin.url) if part),
    )


def _sound(item: Input) -> str | None:
    """A recording as an address of its own; none where it is large or of no known kind."""
    kind = SOUNDS.get(item.suffix.lower())
    if item.kind is not InputKind.AUDIO or kind is None or len(item.content) > LARGEST_SOUND:
        return None
    return f"data:{kind};base64,{base64.b64encode(item.content).decode('ascii')}"
