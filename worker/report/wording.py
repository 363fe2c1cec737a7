"""What a report says, in words that all formats for people share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analyzers.vocabulary import (
    Conclusion,
    Cost,
    Finding,
    Input,
    Json,
    Level,
    Report,
    Status,
    Suggestion,
)

HEADLINES: Mapping[Conclusion, str] = {
    Conclusion.SUCCESS: "No new findings",
    Conclusion.NEUTRAL: "Nothing blocks",
    Conclusion.SKIPPED: "Nothing to test: the change touches no ML code",
    Conclusion.ERROR: "Could not decide: our side failed, not yours",
}
STATUS_WORDS: Mapping[Status, str] = {
    Status.NEW: "new in this change",
    Status.EXISTING: "already there on the base",
    Status.FIXED: "fixed by this change",
    Status.FLAKY: "does not repeat every time",
}
_ORDER = [Status.NEW, Status.FLAKY, Status.EXISTING, Status.FIXED]
_LEVELS = [Level.FAILURE, Level.WARNING, Level.NOTICE]


def headline(report: Report) -> str:
    """The verdict in a sentence fragment."""
    said = HEADLINES.get(report.conclusion) or _blocking(report)
    return f"{said} (stopped early)" if report.partial else said


def _blocking(report: Report) -> str:
    number = sum(blocks(finding, report) for finding in report.findings)
    return counted(number, "new finding") + (" blocks" if number == 1 else " block")


def counted(number: int, noun: str) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def overview(report: Report) -> str:
    """What was examined and what stands, in one line."""
    parts = [counted(len(report.targets), "function") + " examined"]
    by_status = Counter(finding.status for finding in report.findings)
    parts += [f"{by_status[status]} {status}" for status in _ORDER if by_status[status]]
    if not report.findings:
        parts.append("no findings")
    if report.skipped:
        parts.append(f"{len(report.skipped)} not tested")
    if report.broken:
        parts.append(f"{len(report.broken)} of our own failures")
    return ", ".join(parts)


def ordered(report: Report) -> list[Finding]:
    """The findings as they should be read: new and grave ones first, ignored last."""
    return sorted(
        report.findings,
        key=lambda f: (
            f.fingerprint in report.ignored,
            _ORDER.index(f.status),
            _LEVELS.index(f.level),
            f.path,
            f.line,
        ),
    )


def standing(finding: Finding, report: Report) -> str:
    """How a finding stands: its level, its status, and whether it is ignored."""
    ignored = report.ignored.get(finding.fingerprint)
    if ignored is None:
        return f"{finding.level}, {STATUS_WORDS[finding.status]}"
    until = f" until {ignored['until']}" if ignored.get("until") else ""
    return f"ignored{until}: {ignored.get('reason', '')}"


def blocks(finding: Finding, report: Report) -> bool:
    """Whether the finding alone would make the verdict a failure."""
    return (
        finding.level is Level.FAILURE
        and finding.status is Status.NEW
        and finding.fingerprint not in report.ignored
    )


def place(finding: Finding) -> str:
    """``path:line`` of where the author should look."""
    return f"{finding.path}:{finding.line}"


def inputs_of(finding: Finding) -> list[Input]:
    """The finding's inputs, each once, in the order of its probes."""
    found = {item.digest: item for probe in finding.probes for item in probe.inputs}
    return list(found.values())


def evidence_lines(finding: Finding) -> list[tuple[str, str]]:
    """The evidence as ``(name, value)`` in words."""
    return [
        (key.replace("_", " "), shown(value))
        for key, value in finding.evidence.items()
        if key not in ("answer", "interval", "missed") and value is not None
    ]


def interval_of(evidence: Mapping[str, Json]) -> tuple[float, float] | None:
    """The 95 % interval of an evidence object, if it has one."""
    value = evidence.get("interval")
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        low, high = value
        if isinstance(low, int | float) and isinstance(high, int | float):
            return float(low), float(high)
    return None


def number_of(evidence: Mapping[str, Json], key: str) -> float | None:
    """A number of the evidence, if it is there."""
    value = evidence.get(key)
    return float(value) if isinstance(value, int | float) else None


def recall_sentence(evidence: Mapping[str, Json]) -> str | None:
    """``4 of 10 inputs, recall 40 % (95 % interval 17–69 %)``."""
    inputs, reached = number_of(evidence, "inputs"), number_of(evidence, "reached")
    if inputs is None or reached is None or not inputs:
        return None
    interval = interval_of(evidence)
    between = f" (95 % interval {percent(interval[0], interval[1])})" if interval else ""
    return f"{reached:.0f} of {inputs:.0f} inputs, {percent(reached / inputs)}{between}"


def percent(low: float, high: float | None = None) -> str:
    """``40 %``, or ``17–69 %`` for an interval."""
    ends = [f"{100 * end:.0f}" for end in (low, high) if end is not None]
    return "–".join(ends) + " %"


def shown(value: Json) -> str:
    """An evidence value in words, bounded."""
    if isinstance(value, Mapping):
        recall = recall_sentence(value)
        return recall or ", ".join(f"{key} {shown(item)}" for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(shown(item) for item in value)
    return clipped(str(value), 400)


def clipped(text: str, length: int) -> str:
    """The text, at most ``length`` characters, with an ellipsis when cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def text_of(item: Input) -> str:
    """The content of a text input."""
    return item.content.decode("utf-8", "replace")


def suggestion_diff(suggestion: Suggestion, source: str | None) -> list[str]:
    """The suggestion as lines that start with ``-`` and ``+``.

    Without the ``source`` of its file only the new lines are known.
    """
    lines = source.splitlines() if source is not None else []
    old = lines[suggestion.start_line - 1 : suggestion.end_line]
    new = suggestion.replacement.splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return [f"- {line}" for line in old] + [f"+ {line}" for line in new]


def cost_sentence(cost: Cost) -> str:
    """What the run cost."""
    parts = [
        f"{cost.seconds:.1f} s",
        counted(cost.executions, "execution"),
        counted(cost.api_calls, "API call"),
    ]
    if cost.dollars:
        parts[-1] += f" for ${cost.dollars:,.4f}".rstrip("0").rstrip(".")
    if cost.api_calls_cached:
        parts.append(f"{cost.api_calls_cached:,} answered from recordings")
    if cost.api_calls_refused:
        parts.append(f"{cost.api_calls_refused:,} refused or without an answer")
    return ", ".join(parts)
