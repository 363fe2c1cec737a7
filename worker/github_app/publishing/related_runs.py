"""Results that a rerun of a part of a change takes over from the run of all of it.

Otherwise testing one harmless function again would let the rest pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worker.github_app import messages
from worker.github_app.publishing.check_runs import MAX_TEXT_BYTES, CheckRunOutput
from worker.report.appendix import one_each
from worker.report.markdown_report import size
from worker.store.conclusions import CheckConclusion, affects_verdict, fails, tested_throughout
from worker.store.records import OutboxTaskKind, OutboxTaskRecord, RunOptions, RunRecord, RunState
from worker.store.store import UnitOfWork

NO_WHOLE = "only a part was tested again, and no report of the whole change is kept"

Document = Mapping[str, Any]
Item = Mapping[str, Any]


def is_partial(options: RunOptions) -> bool:
    """Return whether a run was asked for a part of what the change touches."""
    return options.target is not None or options.analyzer is not None


def merged_with_whole(document: Document, whole: Document | None, options: RunOptions) -> Document:
    """Return a rerun's document with what it did not test again, as it was.

    ``whole`` is the report of the last run of the same commit that tested
    everything; without one nothing is known of the rest, and it cannot pass.
    """
    if not is_partial(options):
        return document
    if whole is None:
        unknown = {"analyzer": "assayer", "target": "", "error": NO_WHOLE}
        return {**document, "partial": True, "broken": [*document["broken"], unknown]}
    judged = {
        name: [*document[name], *(item for item in whole[name] if _is_left(item, options))]
        for name in ("findings", "skipped", "broken")
    }
    # reports of before had no appendix
    left = (item for item in whole.get("appendix", ()) if _is_left(item, options))
    tested = {target["id"] for target in document["targets"]}
    targets = [
        *document["targets"],
        *(target for target in whole["targets"] if target["id"] not in tested),
    ]
    merged = {
        **document,
        **judged,
        "appendix": one_each([*document.get("appendix", ()), *left]),
        "targets": targets,
        "partial": bool(document.get("partial") or whole.get("partial")),
    }
    return {**merged, "verdict": _verdict(document, whole, merged)}


def _is_left(item: Item, options: RunOptions) -> bool:
    other_target = options.target is not None and item["target"] != options.target
    other_analyzer = options.analyzer is not None and item["analyzer"] != options.analyzer
    return other_target or other_analyzer


def _verdict(document: Document, whole: Document, merged: Document) -> str:
    """The gravest verdict that what is left of both still gives a reason for."""
    verdicts = {document["verdict"], whole["verdict"]}
    found = merged["findings"]
    if "failure" in verdicts and any(map(fails, found)):
        return "failure"
    if merged["broken"] or any(item.get("our_fault") for item in merged["skipped"]):
        return "error"
    if any(map(affects_verdict, found)) or (
        verdicts & {"failure", "neutral"} and merged["skipped"]
    ):
        return "neutral"
    if merged["targets"] and not tested_throughout(merged):
        return "neutral"
    return "skipped" if verdicts == {"skipped"} else "success"


PASSING = frozenset({CheckConclusion.SUCCESS, CheckConclusion.NEUTRAL, CheckConclusion.SKIPPED})
_BLOCKING = (CheckConclusion.FAILURE, CheckConclusion.ACTION_REQUIRED)
_BESIDE = "beside:"


def runs_of_shared_head(run: RunRecord, unit: UnitOfWork) -> tuple[RunRecord, ...]:
    """Return the newest run of each other open pull request with this head."""
    job = run.job
    if job.pull is None or job.repository_id is None or job.head is None:
        return ()
    pulls = unit.pulls.with_head(job.repository_id, job.head)
    standing = {pull.number for pull in pulls if pull.open} - {job.pull}
    newest: dict[int, RunRecord] = {}
    for other in unit.runs.of_head(job.repository_id, job.head):
        if other.job.pull in standing and other.state is not RunState.CANCELLED:
            newest.setdefault(other.job.pull, other)
    return tuple(newest.values())


def hold_back(output: CheckRunOutput, others: Mapping[int, CheckConclusion]) -> CheckRunOutput:
    """Return what a check run says, given how those of ``others`` (pull requests) conclude."""
    if output.conclusion in _BLOCKING:
        return output
    for conclusion in _BLOCKING:
        for number in sorted(n for n, other in others.items() if other is conclusion):
            title, said = messages.held_back(number)
            whole = said + output.summary
            summary = whole if size(whole) <= MAX_TEXT_BYTES else said + "_more than fits here_\n"
            return replace(output, conclusion=conclusion, title=title, summary=summary)
    return output


def republish_others(task: OutboxTaskRecord, run: RunRecord, unit: UnitOfWork) -> None:
    """Ask for what the others say to be told anew; one that was asked for so asks no more."""
    if _BESIDE not in task.task.key:
        for other in runs_of_shared_head(run, unit):
            if other.state.over:
                unit.outbox_tasks.add_for(OutboxTaskKind.PUBLISH, other, f"{_BESIDE}{task.id}")
