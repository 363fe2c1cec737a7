"""The report as one page that needs nothing from outside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzers.vocabulary import Finding, Input, InputKind, Mixes, Probe, Report
from worker.report import appendix, wording
from worker.report.answered import AnsweredInput, answered_inputs
from worker.report.artifacts import Artifacts
from worker.report.bars import bars_of
from worker.report.escape import inert
from worker.report.pictures import thumbnail
from worker.report.templating import TEMPLATES, environment, prose
from worker.report.valid_inputs import OFFERED, offers_of
from worker.report.values import values_of

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
class Shown:
    """One input as a card: a picture, a sound or a text, and what the API answered."""

    description: str
    picture: str | None
    sound: str | None
    text: str | None
    answer: str
    credit: str


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty."""

    title: str
    mark: str
    cards: Sequence[Shown]
    more: int


def to_html(report: Report, artifacts: Artifacts | None = None) -> str:
    """The page, with pictures inside and a policy that lets nothing else in."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    template = environment().get_template("report.html.j2")
    page = template.render(
        report=report,
        words=wording,
        appendix=appendix,
        prose=prose,
        offered=OFFERED,
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii"),
        findings=[_view(finding, report, artifacts) for finding in wording.ordered(report)],
    )
    return inert(page)


def _view(finding: Finding, report: Report, artifacts: Artifacts | None) -> dict[str, object]:
    files = artifacts.of(finding) if artifacts else None
    suggestion = wording.suggested(finding) or wording.unverified(finding)
    source = artifacts.sources.get(suggestion.path) if artifacts and suggestion else None
    return {
        "finding": finding,
        "standing": wording.standing(finding, report),
        "ignored": finding.fingerprint in report.ignored,
        "bars": bars_of(finding.evidence),
        "changes": wording.changes_of(finding),
        "evidence": wording.evidence_lines(finding),
        "groups": _groups(finding),
        "suggestion": suggestion,
        "diff": wording.suggestion_diff(suggestion, source) if suggestion else [],
        "offers": offers_of(finding.evidence),
        "reproducer": files.reproducer if files else None,
    }


def _groups(finding: Finding) -> list[Group]:
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


def _values(finding: Finding) -> list[Group]:
    """Arguments that are no inputs of ours, as cards of text."""
    found = values_of(finding)
    told = [
        value.description
        if value.description.endswith(f": {value.source}")
        else f"{value.description} = {value.source}"
        for value in found[:MOST_INPUTS]
    ]
    cards = [Shown("", None, None, wording.clipped(text, LONGEST_TEXT), "", "") for text in told]
    return [Group("Arguments", "", cards, max(0, len(found) - MOST_INPUTS))] if found else []


def _group(
    title: str, mark: str, probes: Sequence[Probe], known: Mapping[str, AnsweredInput]
) -> Group:
    digests = list(dict.fromkeys(item.digest for probe in probes for item in probe.inputs))
    cards = [_card(known[digest]) for digest in digests[:MOST_INPUTS]]
    return Group(title, mark, cards, max(0, len(digests) - MOST_INPUTS))


def _card(answered: AnsweredInput) -> Shown:
    item = answered.item
    text = item.kind in (InputKind.TEXT, InputKind.VALUE)
    origin = item.origin
    return Shown(
        item.description,
        thumbnail(item.content) if item.kind is InputKind.IMAGE else None,
        _sound(item),
        wording.clipped(wording.text_of(item), LONGEST_TEXT) if text else None,
        answered.said,
        ", ".join(part for part in (origin.author, origin.licence, origin.url) if part),
    )


def _sound(item: Input) -> str | None:
    """A recording as an address of its own; none where it is large or of no known kind."""
    kind = SOUNDS.get(item.suffix.lower())
    if item.kind is not InputKind.AUDIO or kind is None or len(item.content) > LARGEST_SOUND:
        return None
    return f"data:{kind};base64,{base64.b64encode(item.content).decode('ascii')}"
