"""The report as one page that needs nothing from outside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from analyzers.vocabulary import Finding, Input, InputKind, Json, Mixes, Probe, Report
from worker.report import wording
from worker.report.answered import answers_of
from worker.report.artifacts import Artifacts
from worker.report.escape import inert
from worker.report.pictures import thumbnail
from worker.report.templating import TEMPLATES, environment

MOST_INPUTS = 12
LONGEST_TEXT = 600


@dataclass(frozen=True, slots=True)
class Shown:
    """One input as a card: a picture or a text, and what the API answered."""

    description: str
    picture: str | None
    text: str | None
    answers: Sequence[tuple[str, str]]
    credit: str


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together; ``mark`` is ``missed``, ``reached`` or empty."""

    title: str
    mark: str
    cards: Sequence[Shown]
    more: int


@dataclass(frozen=True, slots=True)
class Bar:
    """A share with its 95 % interval and a threshold, in percent of a bar's width."""

    title: str
    sentence: str
    share: float
    low: float
    high: float
    threshold: float | None


def to_html(report: Report, artifacts: Artifacts | None = None) -> str:
    """The page, with pictures inside and a policy that lets nothing else in."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    template = environment().get_template("report.html.j2")
    page = template.render(
        report=report,
        words=wording,
        prose=prose,
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii"),
        findings=[_view(finding, report, artifacts) for finding in wording.ordered(report)],
    )
    return inert(page)


def prose(text: str) -> Markup:
    """The text as HTML, with what stands in single backquotes as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part
        for index, part in enumerate(parts)
    )


def _view(finding: Finding, report: Report, artifacts: Artifacts | None) -> dict[str, object]:
    files = artifacts.of(finding) if artifacts else None
    suggestion = finding.suggestion
    source = artifacts.sources.get(suggestion.path) if artifacts and suggestion else None
    return {
        "finding": finding,
        "standing": wording.standing(finding, report),
        "ignored": finding.fingerprint in report.ignored,
        "bars": _bars(finding.evidence),
        "evidence": wording.evidence_lines(finding),
        "groups": _groups(finding),
        "diff": wording.suggestion_diff(suggestion, source) if suggestion else [],
        "reproducer": files.reproducer if files else None,
    }


def _bars(evidence: Mapping[str, Json]) -> list[Bar]:
    threshold = wording.number_of(evidence, "threshold")
    named = [("Recall", evidence)] + [
        (f"{name.title()} texts", part)
        for name in ("positive", "negative")
        if isinstance(part := evidence.get(name), Mapping)
    ]
    return [bar for name, part in named if (bar := _bar(name, part, threshold))]


def _bar(title: str, evidence: Mapping[str, Json], threshold: float | None) -> Bar | None:
    sentence = wording.recall_sentence(evidence)
    interval = wording.interval_of(evidence)
    inputs, reached = (wording.number_of(evidence, key) for key in ("inputs", "reached"))
    if sentence is None or interval is None or not inputs or reached is None:
        return None
    low, high = (100 * end for end in interval)
    limit = None if threshold is None else 100 * threshold
    return Bar(title, sentence, 100 * reached / inputs, low, high, limit)


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
    return [_group(*part) for part in parts if any(probe.inputs for probe in part[2])]


def _group(title: str, mark: str, probes: Sequence[Probe]) -> Group:
    pairs = {item.digest: (item, probe) for probe in probes for item in probe.inputs}
    cards = [_card(item, probe) for item, probe in list(pairs.values())[:MOST_INPUTS]]
    return Group(title, mark, cards, max(0, len(pairs) - MOST_INPUTS))


def _card(item: Input, probe: Probe) -> Shown:
    text = item.kind in (InputKind.TEXT, InputKind.VALUE)
    origin = item.origin
    return Shown(
        item.description,
        thumbnail(item.content) if item.kind is InputKind.IMAGE else None,
        wording.clipped(wording.text_of(item), LONGEST_TEXT) if text else None,
        answers_of(probe),
        ", ".join(part for part in (origin.author, origin.licence, origin.url) if part),
    )
