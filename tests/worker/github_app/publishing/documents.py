"""Reports as another process stored them, and runs about them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

from tests.worker.report import samples
from worker.github_app.publishing.inline_comments import ChangedFile
from worker.github_app.publishing.publication import PullRequestState, ReportedRun
from worker.report.json_report import report_document
from worker.report.page_links import LinkSigner, PageLinks
from worker.store.records import IgnoreRecord, Job, Policy, RunRecord, RunState

TODAY = date(2026, 5, 4)
NOW = datetime(2026, 5, 4, tzinfo=UTC)
ROOT = "https://assayer.example"
SIGNED = PageLinks(ROOT, LinkSigner(b"secret"), 604_800, NOW.timestamp)
CASE = Path(__file__).parent / "cases" / "expense-desk.json"


def case():
    """A real report on a real pull request, its files as GitHub lists them, the head's texts."""
    return json.loads(CASE.read_text(encoding="utf-8"))


def document(*findings, **changes):
    """The document of a report on the sample shop."""
    return report_document(samples.report(*findings, **changes))


def full():
    return report_document(samples.full_report())


def run(state=RunState.DONE, **changes):
    job = Job("example/shop", None, "b" * 40, "push", pull=changes.pop("pull", 7))
    return RunRecord("0123abcd", job, state, 1, NOW, **changes)


def reported(document, **changes):
    values = {
        "run": run(),
        "document": document,
        "policy": Policy(),
        "ignores": (),
        "today": TODAY,
        "links": SIGNED,
    }
    return ReportedRun(**{**values, **changes})


def ignore(fingerprint, **changes):
    values = {"repository": 1, "reason": "known", "by": "ann", "at": NOW}
    return IgnoreRecord(**{**values, "fingerprint": fingerprint, **changes})


def added(text):
    """The hunks of a file that a pull request adds, as GitHub gives them."""
    lines = text.splitlines()
    return f"@@ -0,0 +1,{len(lines)} @@\n" + "\n".join(f"+{line}" for line in lines)


def pull_state(**changes):
    """The pull request that adds the sample shop."""
    files = [ChangedFile(path, "added", added(text)) for path, text in samples.SOURCES.items()]
    return PullRequestState(**{"files": files, "texts": samples.SOURCES, **changes})
