"""Sentences of a report that all formats for people share."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from analyzers.vocabulary import (
    Conclusion,
    Cost,
    Finding,
    Input,
    Json,
    Level,
    Mixes,
    Probe,
    Report,
    Skipped,
    Status,
    Suggestion,
)
from worker.report.stored_report import StoredFinding, StoredReport
from worker.report.suggested_edits import source_lines
from worker.report.tested_targets import (
    all_tested,
    comparison_sentence,
    is_reason,
    tested_sentence,
    untested,
)
from worker.report.valid_input_messages import SAID, is_about_valid_inputs, valid_input_lines

AnyFinding: TypeAlias = Finding | StoredFinding
AnyReport: TypeAlias = Report | StoredReport
"""A report, fresh from its run or read from a document."""

HEADLINES: Mapping[Conclusion, str] = {
    Conclusion.SUCCESS: "No new findings",
    Conclusion.NEUTRAL: "Nothing blocks",
    Conclusion.SKIPPED: "Nothing to test: no ML call that Assayer knows in the change",
    Conclusion.ERROR: "Could not decide: our side failed, not yours",
}
INTERRUPTED = "Interrupted; partial results"
STATUS_WORDS: Mapping[Status, str] = {
    Status.NEW: "new in this change",
    Status.EXISTING: "already there on the base",
    Status.FIXED: "fixed by this change",
    Status.FLAKY: "does not repeat every time",
}
_SHOWN_OTHERWISE = (
    "answer", "simulated", "interval", "missed", "groups", "examples", "code", "other_clause",
)  # fmt: skip
_SHARES = (
    "threshold",
    "recall_after",
    "precision_after",
    "accuracy_before",
    "accuracy_after",
)
_NAMED: Mapping[str, str] = {
    "judged_together": "branches tested at once",
    "looks": "looked at after",
    "unread": "inputs that could not be read here",
    "p_value": "p value (exact test)",
    "chosen_on": "inputs to choose the repair on",
    "checked_on": "inputs to check the repair on",
    "repair_inputs": "inputs to verify the repair on",
    "repair_reached": "inputs that take the branch with the repair",
    "repair_tests": "the project's tests with the repair",
}
_USUAL: Mapping[str, Json] = {"judged_together": 1, "unread": 0, "added_labels": [], "inputs": 0}
_ORDER = [Status.NEW, Status.FLAKY, Status.EXISTING, Status.FIXED]
_FIGURES = re.compile(r"[\d,]+ of [\d,]+|[\d.]+(?:–[\d.]+)? %")
_LEVELS = [Level.FAILURE, Level.WARNING, Level.NOTICE]


def headline(report: AnyReport) -> str:
    """Return the verdict in a sentence fragment, and how much of the change it speaks for."""
    said = HEADLINES.get(report.conclusion) or _blocking(report)
    if report.conclusion is Conclusion.SKIPPED:
        said = _capital(nothing_compared(report.base, report.head, report.files)) or said
    if report.conclusion is Conclusion.SUCCESS and any(map(_is_reported, report.findings)):
        said = "No new defects"
    if not all_tested(report.tests):
        count = tested_sentence(report.tests)
        said = count if report.conclusion is Conclusion.NEUTRAL else f"{said}; {count}"
    return f"{INTERRUPTED}: {said[:1].lower()}{said[1:]}" if report.interrupted else said


def nothing_compared(base: str, head: str | None, files: int | None) -> str:
    """Return why there is nothing to compare; empty where code differs."""
    if head == base:
        return "nothing to compare: base and head are the same commit"
    if files == 0:
        return "no ML code to test: no Python file differs from the base"
    return ""


def verdict_line(report: AnyReport) -> str:
    """Return the verdict and what was examined, on one line."""
    return f"{headline(report)} ({overview(report)})"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _is_reported(finding: AnyFinding) -> bool:
    return finding.status is Status.NEW and finding.level is Level.NOTICE


def _blocking(report: AnyReport) -> str:
    number = sum(is_blocking(finding, report) for finding in report.findings)
    return counted(number, "new finding") + (" blocks" if number == 1 else " block")


def counted(number: int, noun: str) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def overview(report: AnyReport) -> str:
    """Return the counts beside the headline, which has that of functions unless all are tested."""
    tested = report.tests and all_tested(report.tests)
    parts = [tested_sentence(report.tests)] if tested else []
    by_status = Counter(finding.status for finding in report.findings)
    parts += [
        counted(by_status[status], f"{status} finding") for status in _ORDER if by_status[status]
    ]
    ignored = sum(finding.fingerprint in report.ignored for finding in report.findings)
    parts += [f"{ignored} of them ignored"] if ignored else []
    if not report.findings:
        parts.append("no findings")
    if compared := comparison_sentence(report.tests):
        parts.append(compared)
    if beside := skipped_beside(report):
        parts.append(counted(len(beside), "note") + " on what was not tested")
    if report.broken:
        parts.append(f"{len(report.broken)} of our own failures")
    return ", ".join(parts)


def untested_targets(report: AnyReport) -> list[tuple[str, str]]:
    """Return each reason for which targets were not wholly tested, and which they are."""
    return untested(report.tests)


def skipped_beside(report: AnyReport) -> list[Skipped]:
    """Return what was not tried, but for what is said of the untested targets."""
    return [
        each for each in report.skipped if not is_reason(report.tests, each.target, each.reason)
    ]


def sorted_findings(report: StoredReport) -> list[StoredFinding]:
    """Return the findings as they should be read: new and grave ones first, ignored last."""
    return sorted(report.findings, key=lambda finding: rank(finding, report))


def findings_on_head(report: StoredReport) -> list[StoredFinding]:
    """Return the findings that head shows, as they should be read."""
    return [finding for finding in sorted_findings(report) if finding.status is not Status.FIXED]


def fixed_findings(report: StoredReport) -> list[StoredFinding]:
    """Return the findings that only base shows, as they should be read."""
    return [finding for finding in sorted_findings(report) if finding.status is Status.FIXED]


def rank(finding: AnyFinding, report: AnyReport) -> tuple[bool, int, int, str, int]:
    """Return where a finding stands among the others."""
    return (
        finding.fingerprint in report.ignored,
        _ORDER.index(finding.status),
        _LEVELS.index(finding.level),
        finding.path,
        finding.line,
    )


def status_sentence(finding: AnyFinding, report: AnyReport) -> str:
    """Return how a finding stands: its level, its status, and whether it is ignored."""
    ignored = report.ignored.get(finding.fingerprint)
    if ignored is None:
        return f"{finding.level}, {_status(finding, report)}"
    until = f" until {ignored['until']}" if ignored.get("until") else ""
    return f"ignored{until}: {ignored.get('reason', '')}"


def _status(finding: AnyFinding, report: AnyReport) -> str:
    alone = not report.base and finding.status is Status.NEW
    return "found by the campaign" if alone else STATUS_WORDS[finding.status]


def is_blocking(finding: AnyFinding, report: AnyReport) -> bool:
    """Return whether the finding alone would make the verdict a failure."""
    return (
        finding.level is Level.FAILURE
        and finding.status is Status.NEW
        and finding.fingerprint not in report.ignored
    )


def location_text(finding: AnyFinding) -> str:
    """``path:line`` of where the author should look."""
    return f"{finding.path}:{finding.line}"


def inputs_of(finding: Finding) -> list[Input]:
    """Return the finding's inputs, each once, in the order of its probes."""
    found = {item.digest: item for probe in finding.probes for item in probe.inputs}
    return list(found.values())


def failing_probes(finding: Finding) -> tuple[Probe, ...]:
    """Return the probes that show the finding: all, where none is known to be fine."""
    probes, missed = finding.probes, finding.evidence.get("missed")
    if isinstance(finding.criterion, Mixes):
        split = finding.criterion.positives
        negative = finding.evidence.get("meant_for") == "negative"
        probes = probes[:split] if negative else probes[split:]
    elif isinstance(missed, Sequence) and not isinstance(missed, str):
        probes = tuple(probe for index, probe in enumerate(probes) if index in missed)
    return probes


def measured(evidence: Mapping[str, Json], said: str = "") -> list[str]:
    """Return recall with its 95 % interval and threshold in sentences, without those ``said``."""
    recall = recall_sentence(evidence)
    threshold = number_of(evidence, "threshold")
    end = "" if threshold is None else f"; the threshold is {percent(threshold)}"
    told = [f"Recall: {recall}{end}."] if recall else []
    for name in ("positive", "negative"):
        part = evidence.get(name)
        sentence = recall_sentence(part) if isinstance(part, Mapping) else None
        told += [f"Of {name} texts this branch is taken by {sentence}."] if sentence else []
    return [sentence for sentence in told if not _is_shown_elsewhere(sentence, said)]


def _is_shown_elsewhere(sentence: str, said: str) -> bool:
    return all(figure in said for figure in _FIGURES.findall(sentence))


def evidence_lines(finding: AnyFinding) -> list[tuple[str, str]]:
    """Return the evidence as ``(name, value)`` in words, without what goes without saying."""
    recall = recall_sentence(finding.evidence)
    told = {*_SHOWN_OTHERWISE, *(("inputs", "reached", "recall") if recall else ())}
    about_inputs = is_about_valid_inputs(finding.rule)
    told |= SAID if about_inputs else set()
    lines = [
        (_NAMED.get(key, key.replace("_", " ")), _evidence(key, value))
        for key, value in finding.evidence.items()
        if key not in told
        and value not in (None, {}, "")
        and _USUAL.get(key) != value
        and (key, value) != ("raised_at", f"{finding.path}:{finding.line}")
        and not (about_inputs and key == "lines" and value == [finding.line])
    ]
    if about_inputs:
        return [*valid_input_lines(finding.evidence, finding.message), *lines]
    return [("reached", recall), *lines] if recall else lines


def program_text(finding: AnyFinding) -> str:
    """Return the program of the project that shows a finding, varied; empty where none does."""
    code = finding.evidence.get("code")
    return code if isinstance(code, str) else ""


def _evidence(key: str, value: Json) -> str:
    """One value: shares in percent, intervals from one end to the other."""
    if key in _SHARES and isinstance(value, int | float):
        return percent(value)
    between = interval_of({"interval": value}) if key.endswith("_interval") else None
    if key == "looks" and isinstance(value, Sequence):
        return f"{value_text(value)} inputs"
    return percent(*between) if between else value_text(value)


def changes_of(finding: AnyFinding) -> list[Mapping[str, Json]]:
    """Return the groups of inputs whose outcome a change has changed, as evidence has them."""
    groups = finding.evidence.get("groups")
    listed = groups if isinstance(groups, Sequence) and not isinstance(groups, str) else ()
    return [group for group in listed if isinstance(group, Mapping)]


def interval_of(evidence: Mapping[str, Json]) -> tuple[float, float] | None:
    """Return the 95 % interval of an evidence object, if it has one."""
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


def value_text(value: Json) -> str:
    """An evidence value in words, bounded."""
    if isinstance(value, Mapping):
        recall = recall_sentence(value)
        return recall or ", ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(value_text(item) for item in value)
    return clipped(str(value), 400)


def clipped(text: str, length: int) -> str:
    """Return the text, at most ``length`` characters, with an ellipsis when cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def text_of(item: Input) -> str:
    """Return the content of a text input."""
    return item.content.decode("utf-8", "replace")


def suggested(finding: AnyFinding) -> Suggestion | None:
    """Return the change that is suggested: one that was tried and helps, no other."""
    return finding.suggestion if finding.suggestion and finding.suggestion.verified else None


def unverified(finding: AnyFinding) -> Suggestion | None:
    """Return the change that is offered though it could not be verified."""
    found = finding.suggestion
    return found if found and not found.verified and found.unverified else None


def unverified_sentence(suggestion: Suggestion) -> str:
    """Return what to know of a change that could not be verified."""
    return f"Not verified: {suggestion.unverified}. Review it before you use it."


def suggestion_diff(suggestion: Suggestion, source: str | None) -> list[str]:
    """Return the suggestion as ``-`` and ``+`` lines; without ``source`` only the new ones."""
    if source is None:
        return replacement_diff(suggestion, None)
    lines = source_lines(source)[suggestion.start_line - 1 : suggestion.end_line]
    return replacement_diff(suggestion, "\n".join(lines))


def replacement_diff(suggestion: Suggestion, original: str | None) -> list[str]:
    """Return the lines that change as ``-`` and ``+`` lines; ``original`` is what is replaced."""
    old = [] if original is None else source_lines(original)
    new = source_lines(suggestion.replacement)
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return [f"- {line}" for line in old] + [f"+ {line}" for line in new]


def ignore_comment(finding: AnyFinding) -> str:
    """Return the comment that silences a finding, to be written at the end of its line."""
    return f"# assayer: ignore[{finding.rule}] reason"


def reproduce_command(reproducer: str) -> str:
    """Return the command that runs a reproducer on the code in the current folder."""
    return shlex.join(["python", "-m", "pytest", reproducer])


def cost_sentence(cost: Cost) -> str:
    """Return what the run cost."""
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
