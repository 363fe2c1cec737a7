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
from matplotlib.ticker import FuncFormatter, LogLocator

from analyzers.vocabulary import LEAST_ERROR_RATIO, LayerError
from worker.report.evidence_bars import EvidenceBar
from worker.report.layer_errors import ratio_text

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
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,
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


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A figure of each of a repository's runs, the oldest first; ``None`` where there is none."""

    name: str
    values: Sequence[float | None]


def trend_chart(lines: Sequence[TrendLine]) -> Markup:
    """Return figures over the runs of a repository, one below the other."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(5.0, 0.95 * len(lines)), layout="constrained")
        for number, line in enumerate(lines, 1):
            axes = figure.add_subplot(len(lines), 1, number)
            told = [(x, y) for x, y in enumerate(line.values, 1) if y is not None]
            axes.plot(*zip(*told, strict=True), color=NOTE, marker="o", markersize=3, clip_on=False)
            axes.set_xlim(0.5, len(line.values) + 0.5)
            axes.set_ylim(bottom=0)
            axes.set_title(line.name, loc="left", fontsize=10, color=SOFT)
            axes.locator_params(axis="y", nbins=3)
            axes.tick_params(labelbottom=False)
        said = ", ".join(f"{line.name} {_last(line)}" for line in lines)
        return _svg(figure, f"The last {len(lines[0].values)} runs; the latest: {said}")


def _last(line: TrendLine) -> str:
    value = line.values[-1]
    return "none" if value is None else f"{value:.3g}"


def bar_chart(bars: Sequence[EvidenceBar]) -> Markup:
    """Return shares with 95 % intervals and thresholds; green where a share is right."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(4.4, 0.6 + 0.42 * len(bars)), layout="constrained")
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
        axes.set_xlabel("% of inputs, 95 % interval; dots: threshold")
        axes.invert_yaxis()
        return _svg(figure, "; ".join(bar.words for bar in bars))


def _colour(bar: EvidenceBar) -> str:
    return NOTE if bar.right is None else GOOD if bar.right else BAD


_LEAST, _LONGEST = 0.1, 22


def layer_chart(layers: Sequence[LayerError]) -> Markup:
    """Return the error ratio of each layer, the last being the first that departs."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(4.4, 0.9 + 0.26 * len(layers)), layout="constrained")
        axes = figure.add_subplot()
        for row, each in enumerate(layers):
            ratio = LEAST_ERROR_RATIO if each.error_ratio is None else each.error_ratio
            length = max(ratio, 1.2 * _LEAST)
            colour = BAD if row == len(layers) - 1 else NOTE
            axes.barh(row, length - _LEAST, left=_LEAST, height=0.6, color=colour)
            axes.text(1.15 * length, row, ratio_text(each.error_ratio), va="center", fontsize=9)
        *before, last = (_tail(each.layer) for each in layers)
        axes.set_yticks(range(len(layers)), [*before, f"▸ {last}"])
        axes.invert_yaxis()
        _scale_by_ratio(axes, max(each.error_ratio or 0.0 for each in layers))
        said = ", ".join(f"{each.layer} {ratio_text(each.error_ratio)}" for each in layers)
        return _svg(figure, f"Error by layer, over eager's own: {said}, departs first")


def _scale_by_ratio(axes: Axes, largest: float) -> None:
    axes.axvline(LEAST_ERROR_RATIO, color=INK, linestyle=":")
    axes.set_xscale("log")
    axes.set_xlim(_LEAST, 50 * max(LEAST_ERROR_RATIO, largest))
    axes.xaxis.set_major_locator(LogLocator(numticks=4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: ratio_text(x)))
    axes.minorticks_off()
    axes.set_xlabel(f"error over eager's own (dots: {LEAST_ERROR_RATIO:g})\n▸ departs first")


def _tail(name: str) -> str:
    return name if len(name) <= _LONGEST else f"…{name[-_LONGEST:]}"


def sentiment_chart(texts: Sequence[RatedText], cuts: Sequence[Cut]) -> Markup:
    """Return texts by score and magnitude, with the condition's line and the suggested one."""
    with rc_context(_LOOK):
        figure = Figure(figsize=(4.4, 3.2), layout="constrained")
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
        axes.set_ylim(bottom=0)
        figure.legend(frameon=False, labelcolor=INK, loc="outside upper left", ncols=2)
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
