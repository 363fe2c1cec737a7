"""The one summary comment of a pull request: edited in place, and none where all is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers.vocabulary import Level, Status
from worker.composition.check_output import cut
from worker.composition.marks import SUMMARY, marked
from worker.composition.offers import offer_to_read
from worker.composition.suggestions import to_read
from worker.report import escape, wording
from worker.report.markdown import COMMENT_LIMIT, Addresses, finding_text, size, summary
from worker.report.stored import StoredFinding, StoredReport
from worker.store.records import Ignore

LARGEST_REST = 40_000
MOST_NAMED = 20
NOTHING_LEFT = "Nothing is left to do here."
COMMANDS = (
    ("rerun [inputs=N] [target=PATH::FUNCTION] [analyzer=NAME] [seed=N]", "test again"),
    ("ignore FINGERPRINT reason… [until=YYYY-MM-DD]", "silence a finding"),
    ("unignore FINGERPRINT", "let it count again"),
    ("explain FINGERPRINT", "say more about it"),
    ("apply FINGERPRINT", "commit its verified suggestion"),
    ("stop", "stop the run that is under way"),
    ("help", "say all this"),
)


def is_worth_a_comment(report: StoredReport) -> bool:
    """Whether there is something that a reader of the pull request should be told."""
    return any(f.status is Status.NEW and f.level is not Level.NOTICE for f in report.findings)


def sticky(
    report: StoredReport,
    addresses: Addresses,
    sections: Sequence[str],
    rest: Sequence[StoredFinding] = (),
) -> str:
    """Return the summary comment; ``rest`` are told in full, since they stand nowhere else.

    How it was tested is left to the check run and the page.
    """
    nothing = [] if is_worth_a_comment(report) else [NOTHING_LEFT]
    told = [*nothing, *sections, help_section()]
    if rest:
        told.append(rest_section(report, rest, addresses))
    room = COMMENT_LIMIT - size(marked("", SUMMARY)) - 1
    how = replace(report, environment=())
    return marked(summary(how, addresses.page, told, room), SUMMARY)


def sections_of(fixed: Sequence[StoredFinding], unneeded: Sequence[Ignore]) -> list[str]:
    """Return what a summary says beside findings: what is gone, and what is silenced in vain."""
    return [*([_fixed(fixed)] if fixed else []), *([_unneeded(unneeded)] if unneeded else [])]


def help_section() -> str:
    """Return the slash-commands, folded away."""
    lines = [f"- {escape.code(f'/assayer {order}')}: {does}" for order, does in COMMANDS]
    return _folded("Commands", "\n".join(lines))


def rest_section(report: StoredReport, rest: Sequence[StoredFinding], addresses: Addresses) -> str:
    """Return findings in full, folded away, as many as fit."""
    parts = [_part(finding, report, addresses) for finding in rest]
    title = wording.counted(len(rest), "finding") + " in full"
    return _folded(title, cut(parts, LARGEST_REST, addresses.page))


def _part(finding: StoredFinding, report: StoredReport, addresses: Addresses) -> str:
    place = escape.code(wording.clipped(wording.place(finding), 300))
    change = to_read(finding) or offer_to_read(finding)
    told = finding_text(finding, report, addresses, change, LARGEST_REST // 3)
    return f"{place}\n\n{told}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text.rstrip()}\n\n</details>"


def _fixed(findings: Sequence[StoredFinding]) -> str:
    lines = [
        f"- {escape.prose(wording.clipped(f.title, 200))}"
        f" ({escape.code(wording.clipped(wording.place(f), 200))})"
        for f in findings
    ]
    return _listed("Fixed since the last push:", lines)


def _unneeded(ignores: Sequence[Ignore]) -> str:
    lines = [
        f"- {escape.code(ignore.fingerprint)}"
        f" ({escape.plain(wording.clipped(ignore.reason, 200))}):"
        f" {escape.code(f'/assayer unignore {ignore.fingerprint}')}"
        for ignore in ignores
    ]
    return _listed("No longer needed, since these findings did not come again:", lines)


def _listed(title: str, lines: Sequence[str]) -> str:
    more = [f"- and {len(lines) - MOST_NAMED} more"] if len(lines) > MOST_NAMED else []
    return "\n".join([title, "", *lines[:MOST_NAMED], *more])
