"""Charts of a finding's evidence, as SVG that takes its colours from the page's style."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from worker.report.evidence_bars import EvidenceBar

COLOURS = {
    "#010101": "var(--ink)",
    "#020202": "var(--soft)",
    "#030303": "var(--line)",
    "#040404": "var(--good)",
    "#050505": "var(--bad)",
    "#060606": "var(--note)",
    "#070707": "var(--sunken)",
}
INK, SOFT, LINE, GOOD, BAD, NOTE, SUNKEN = COLOURS
_LOOK: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "assayer",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": LINE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "figure.facecolor": "none",
}
_WASTE = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", re.DOTALL)
_IDENTITY = re.compile(r' id="(?:figure|axes|patch|line2d|text|matplotlib|xtick|ytick|[A-Z])[^"]*"')
_STYLE = re.compile(r' style="([^"]*)"')
_FONT = re.compile(r"(\d+(?:\.\d+)?)px")


@dataclass(frozen=True, slots=True)
class RatedText:
    """A text that people rated, with the answer of a sentiment API."""

    score: float
    magnitude: float
    positive: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """A condition ``score`` or ``magnitude`` against a number; ``suggested`` or as it stands."""

    axis: str
    value: float
    suggested: bool


def bar_chart(bars: Sequence[EvidenceBar]) -> Markup:
    """Return shares with 95 % intervals and thresholds; green where a share is right."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(5.2, 0.5 + 0.42 * len(bars)), layout="constrained")
        axes = figure.add_subplot()
        for row, bar in enumerate(bars):
            axes.barh(row, 100, height=0.5, color=SUNKEN)
            axes.barh(row, bar.share, height=0.5, color=_colour(bar))
            spread = [[max(0, bar.share - bar.low)], [max(0, bar.high - bar.share)]]
            axes.errorbar(bar.share, row, xerr=spread, color=INK, capsize=3, linewidth=1.2)
            if bar.threshold is not None:
                axes.plot([bar.threshold] * 2, [row - 0.42, row + 0.42], color=INK, linestyle=":")
        axes.set_yticks(range(len(bars)), [bar.short for bar in bars])
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of inputs; whisker: 95 % interval; dotted: threshold")
        axes.invert_yaxis()
        return _svg(figure, "; ".join(bar.words for bar in bars))


def _colour(bar: EvidenceBar) -> str:
    if bar.threshold is None:
        return GOOD if bar.repaired else NOTE
    return GOOD if bar.share >= bar.threshold else BAD


def sentiment_chart(texts: Sequence[RatedText], cuts: Sequence[Cut]) -> Markup:
    """Return texts by score and magnitude, with the condition's line and the suggested one."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(5.2, 3.0), layout="constrained")
        axes = figure.add_subplot()
        for positive, colour, marker in ((True, GOOD, "o"), (False, BAD, "x")):
            rated = [text for text in texts if text.positive == positive]
            name = f"{'positive' if positive else 'negative'} texts"
            places = [text.score for text in rated], [text.magnitude for text in rated]
            axes.scatter(*places, c=colour, marker=marker, label=name)
        for cut in cuts:
            _draw_cut(axes, cut)
        axes.set_xlabel("score")
        axes.set_ylabel("magnitude")
        axes.legend(frameon=False, labelcolor=INK, loc="upper center", ncols=2)
        axes.margins(y=0.35)
        said = f"{len(texts)} texts by score and magnitude"
        lines = [f"{'suggested' if c.suggested else 'current'}: {c.axis} {c.value:g}" for c in cuts]
        return _svg(figure, "; ".join([said, *lines]))


def _draw_cut(axes: Axes, cut: Cut) -> None:
    draw = axes.axvline if cut.axis == "score" else axes.axhline
    name = f"{'suggested' if cut.suggested else 'current'} line, {cut.axis} {cut.value:g}"
    colour, dash = (GOOD, "-") if cut.suggested else (INK, "--")
    draw(cut.value, color=colour, linestyle=dash, linewidth=1.4, label=name)


def _svg(figure: Figure, said: str) -> Markup:
    """Return a figure as markup without style attributes, which the pages' policy forbids."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    drawn = buffer.getvalue()
    drawn = _WASTE.sub("", drawn[drawn.index("<svg") :])
    drawn = _STYLE.sub(_attributes, _IDENTITY.sub("", drawn))
    for colour, name in COLOURS.items():
        drawn = drawn.replace(colour, name)
    label = f'<svg class="chart" role="img" aria-label="{escape(said)}"'
    body = re.sub(r"\s*\n\s*", "\n", drawn.removeprefix("<svg"))
    return Markup(label + re.sub(r' (?:width|height)="[\d.]+pt"', "", body, count=2))  # noqa: S704


def _attributes(style: re.Match[str]) -> str:
    pairs = (part.split(":", 1) for part in style.group(1).split(";") if ":" in part)
    said = {key.strip(): value.strip().replace('"', "") for key, value in pairs}
    if font := said.pop("font", ""):
        size = _FONT.search(font)
        said["font-size"] = size.group(1) if size else "9"
    return "".join(f' {key}="{value}"' for key, value in said.items())
