"""Content of a check run: its title, summary, text, annotations and buttons."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any

from github.CheckRun import CheckRun

from analyzers.vocabulary import Conclusion, Level, Status
from worker.github_app import messages
from worker.github_app.client.errors import RefusedError
from worker.github_app.client.objects import check_run, check_runs, made
from worker.github_app.context import (
    CHECK_PERMISSIONS,
    PublishContext,
    TaskContext,
    numeric_app_id,
    publish_context_of,
)
from worker.github_app.publishing.inline_comments import (
    inline_candidates,
    offer_to_read,
    suggestion_to_read,
)
from worker.report import markdown_escape, report_messages
from worker.report.markdown_report import ReportLinks, check_command, finding_text, size, summary
from worker.report.stored_report import StoredFinding, StoredReport
from worker.store.conclusions import CheckConclusion
from worker.store.records import OutboxTaskRecord, RunRecord, RunState

_log = logging.getLogger(__name__)

MAX_TITLE = 255
MAX_TEXT_BYTES = 65_535
MAX_MESSAGE_BYTES = 64_000
MAX_ANNOTATIONS = 1_000
ANNOTATIONS_A_CALL = 50
_RULE = "\n---\n\n"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note at lines of a file (1-based, both ends), in GitHub's own words."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class Action:
    """A button: label of 20, description of 40, identifier of 20 characters at most."""

    label: str
    description: str
    identifier: str


RERUN_4X = Action("Run 4× inputs", "Test again with four times the inputs", "rerun_4x")
BASELINE = Action("Accept as baseline", "Count these findings as existing", "baseline")
APPLY = Action("Apply suggestion", "Commit the verified suggestions", "apply")


@dataclass(frozen=True, slots=True)
class CheckRunOutput:
    """A finished check run; ``annotations`` are sent batch by batch."""

    conclusion: CheckConclusion
    title: str
    summary: str
    text: str | None = None
    annotations: tuple[tuple[Annotation, ...], ...] = ()
    actions: tuple[Action, ...] = ()


def examined_output(
    report: StoredReport,
    conclusion: CheckConclusion,
    addresses: ReportLinks,
    sections: Sequence[str] = (),
) -> CheckRunOutput:
    """Return what the check run of an examined change says.

    ``sections`` are more for its summary, as Markdown.
    """
    sections_in_full = [
        finding_section(finding, report, addresses, MAX_TEXT_BYTES // 3, "#### ")
        for finding in report_messages.sorted_findings(report)
        if finding.fingerprint not in report.ignored
    ]
    return CheckRunOutput(
        conclusion=conclusion,
        title=_clipped_bytes(report_messages.headline(report), MAX_TITLE),
        summary=summary(report, addresses.page, sections, MAX_TEXT_BYTES),
        text=cut(sections_in_full, MAX_TEXT_BYTES, addresses.page) if sections_in_full else None,
        annotations=batches(annotations_of(report)),
        actions=actions(report, conclusion),
    )


def failed_output(
    conclusion: CheckConclusion, incident: str, error: str | None, page: str | None
) -> CheckRunOutput:
    """Return our apology for a run that has no report; ``incident`` is its id."""
    said = messages.failed_run(incident, error, page)
    return CheckRunOutput(conclusion, report_messages.HEADLINES[Conclusion.ERROR], said)


def refused_output(error: str, page: str | None) -> CheckRunOutput:
    """Return what is said of a run that a mistake in what was asked kept from beginning."""
    said = messages.refused_run(error, page)
    return CheckRunOutput(CheckConclusion.ACTION_REQUIRED, messages.NOT_TESTED, said)


def cancelled_output(reason: str) -> CheckRunOutput:
    """Return what the check run of a superseded or stopped run says."""
    title = _clipped_bytes(f"Cancelled: {markdown_escape.shown(reason)}", MAX_TITLE)
    return CheckRunOutput(CheckConclusion.CANCELLED, title, messages.cancelled_run(reason))


def annotations_of(report: StoredReport) -> tuple[Annotation, ...]:
    """Return a note for each new finding that nobody ignores, the gravest first.

    They have no columns: a report counts lines.
    """
    found = (
        _annotation(finding, report)
        for finding in report_messages.sorted_findings(report)
        if finding.status is Status.NEW
        and finding.fingerprint not in report.ignored
        and in_repository(finding.path)
    )
    return tuple(found)[:MAX_ANNOTATIONS]


def batches(found: Sequence[Annotation]) -> tuple[tuple[Annotation, ...], ...]:
    """Return the notes in groups of as many as one request may hold."""
    starts = range(0, len(found), ANNOTATIONS_A_CALL)
    return tuple(tuple(found[i : i + ANNOTATIONS_A_CALL]) for i in starts)


def actions(report: StoredReport, conclusion: CheckConclusion) -> tuple[Action, ...]:
    """Return the buttons that would do something."""
    if conclusion is CheckConclusion.SKIPPED or not report.targets:
        return ()
    offered = [RERUN_4X]
    if any(finding.level is Level.FAILURE for finding in inline_candidates(report)):
        offered.append(BASELINE)
    if any(report_messages.suggested(finding) for finding in inline_candidates(report)):
        offered.append(APPLY)
    return tuple(offered)


def location_code(finding: StoredFinding, limit: int = 300) -> str:
    """Return where a finding is, as code."""
    location = report_messages.location_text(finding)
    return markdown_escape.code(report_messages.clipped(location, limit))


def in_repository(path: str) -> bool:
    """Return whether a path can name a file of a repository."""
    pure = PurePosixPath(path)
    return bool(pure.parts) and not pure.is_absolute() and ".." not in pure.parts


def _annotation(finding: StoredFinding, report: StoredReport) -> Annotation:
    told = [
        report_messages.clipped(finding.message, 20_000),
        *report_messages.measured(finding.evidence, finding.message),
        f"Reproduce: {check_command(finding, report)}",
        f"Silence: /assayer ignore {finding.fingerprint} reason…",
    ]
    message = markdown_escape.shown("\n".join(told))
    return Annotation(
        path=finding.path,
        start_line=finding.line,
        end_line=finding.end_line,
        annotation_level=finding.level.value,
        title=_clipped_bytes(markdown_escape.shown(finding.title), MAX_TITLE),
        message=_clipped_bytes(message, MAX_MESSAGE_BYTES),
    )


def finding_section(
    finding: StoredFinding, report: StoredReport, addresses: ReportLinks, limit: int, mark: str = ""
) -> str:
    """Return a finding in full below its location, in about ``limit`` bytes."""
    change = suggestion_to_read(finding) or offer_to_read(finding)
    told = finding_text(finding, report, addresses, change, limit)
    return f"{mark}{location_code(finding)}\n\n{told}"


def cut(parts: Sequence[str], limit: int, page: str | None) -> str:
    """Return whole parts, as many as fit into ``limit`` bytes, and where the rest is."""
    whole = _RULE.join(parts)
    if size(whole) <= limit:
        return whole
    room = limit - size(messages.remaining(len(parts), page))
    sizes = accumulate(size(part) + size(_RULE) for part in parts)
    kept = sum(1 for total in sizes if total <= room)
    return _RULE.join([*parts[:kept], messages.remaining(len(parts) - kept, page)])


def _clipped_bytes(text: str, limit: int) -> str:
    """The text in at most ``limit`` bytes, with an ellipsis where it was cut."""
    if size(text) <= limit:
        return text
    end = "…"
    return text.encode("utf-8", "replace")[: limit - size(end)].decode("utf-8", "ignore") + end


NAME = "Assayer"
COMPLETED = "completed"
MAX_PLAIN_TITLE = 60


def announce(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Put a run's check run on its commit, once."""
    publish_context = publish_context_of(task, context)
    if publish_context is not None and not publish_context.run.state.over:
        ensure_check_run(publish_context)


def ensure_check_run(publish_context: PublishContext) -> int:
    """Return the number of a run's check run, which is made where there is none."""
    run = publish_context.run
    if run.check_run is not None:
        return run.check_run
    running = run.state is RunState.RUNNING
    repository = publish_context.api(CHECK_PERMISSIONS).repository(publish_context.name)
    first = _given(
        status="in_progress" if running else "queued",
        external_id=run.id,
        details_url=publish_context.page,
        started_at=run.started_at if running else None,
        output=_output(*(messages.TESTING if running else messages.WAITING)),
    )
    number = publish_context.writer.create(
        check_key(run),
        lambda: str(made(repository.create_check_run(NAME, publish_context.head, **first)).id),
        lambda: find_check_run(publish_context),
    )
    return _keep(publish_context, int(number))


def existing_check_run(publish_context: PublishContext) -> int | None:
    """Return the number of the check run that an earlier try may have made; makes none."""
    run = publish_context.run
    if run.check_run is not None:
        return run.check_run
    with publish_context.context.store.read() as unit:
        idempotency_record = unit.idempotency.get(check_key(run))
    if idempotency_record is None:
        return None
    number = idempotency_record.made or find_check_run(publish_context)
    return None if number is None else _keep(publish_context, int(number))


def check_key(run: RunRecord) -> str:
    """Return under what name the making of a check run is kept."""
    return f"check-run:{run.id}"


def find_check_run(publish_context: PublishContext) -> str | None:
    """Find a run's check run at GitHub, by the run's id in it."""
    found = check_runs(
        publish_context.api(CHECK_PERMISSIONS),
        publish_context.name,
        publish_context.head,
        NAME,
        numeric_app_id(publish_context.context),
    )
    run_id = publish_context.run.id
    return next((str(check.id) for check in found if check.external_id == run_id), None)


def _keep(publish_context: PublishContext, check_run: int) -> int:
    with publish_context.context.store.write() as unit:
        unit.runs.announced(publish_context.run.id, check_run)
    return check_run


def progress(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Say what a run is doing, if it is under way and that is not said yet.

    Nothing is told of a run that is over: its conclusion stands, or comes.
    """
    publish_context = publish_context_of(task, context)
    if publish_context is None or publish_context.run.state is not RunState.RUNNING:
        return
    run = publish_context.run
    number = ensure_check_run(publish_context)
    standing = _get(publish_context, number)
    title, summary = messages.TESTING
    if run.progress:
        summary = _progress_text(run.progress)
    said = standing.status == "in_progress" and standing.output.summary == summary
    if said or standing.status == COMPLETED:
        return
    with context.store.read() as unit:
        now = unit.runs.get(run.id)
    if now is not None and now.state is RunState.RUNNING:
        output = _output(title, summary)
        started = run.started_at
        _update(publish_context, number, status="in_progress", started_at=started, output=output)


def _progress_text(progress: str) -> str:
    """Return a run's progress: a sentence, and a list of what was found so far."""
    sentence, *found = progress.split("\n")
    listed = [f"- {markdown_escape.prose(line)}" for line in found]
    return "\n".join([markdown_escape.plain(sentence), *([""] if listed else []), *listed])


def conclude(publish_context: PublishContext, output: CheckRunOutput) -> None:
    """Complete a run's check run; it is made where it was never announced.

    The conclusion is sent first and alone, so that what gates a merge never
    waits for the rest.  Annotations follow, as far as they do not stand:
    GitHub adds them up and takes none back.  Where GitHub refuses a text,
    the conclusion is told without it.
    """
    number = ensure_check_run(publish_context)
    try:
        _complete(publish_context, number, output)
    except RefusedError as error:
        _log.error("GitHub refused what run %s says: %s", publish_context.run.id, error.message)
        said, title = messages.refused_text(publish_context.page), output.title[:MAX_PLAIN_TITLE]
        _complete(publish_context, number, CheckRunOutput(output.conclusion, title, said))
    else:
        if output.annotations:
            _annotate(publish_context, number, output)


def is_concluded(publish_context: PublishContext, number: int) -> bool:
    """Return whether a check run is completed already."""
    return _get(publish_context, number).status == COMPLETED


def _get(publish_context: PublishContext, number: int) -> CheckRun:
    return check_run(publish_context.api(CHECK_PERMISSIONS), publish_context.name, number)


def _complete(publish_context: PublishContext, number: int, output: CheckRunOutput) -> None:
    _update(
        publish_context,
        number,
        status=COMPLETED,
        conclusion=output.conclusion.value,
        details_url=publish_context.page,
        started_at=publish_context.run.started_at,
        completed_at=publish_context.run.finished_at,
        output=_output(output.title, output.summary, output.text),
        actions=[asdict(action) for action in output.actions],
    )


def _annotate(publish_context: PublishContext, number: int, output: CheckRunOutput) -> None:
    """Send the batches that the check run does not have yet; one may be refused."""
    there = _get(publish_context, number).output.annotations_count
    count = 0
    for batch in output.annotations:
        count += len(batch)
        if count > there:
            shown = _output(output.title, output.summary, output.text, batch)
            try:
                _update(publish_context, number, output=shown)
            except RefusedError as error:
                _log.warning("GitHub refused annotations: %s", error.message)


def _update(publish_context: PublishContext, number: int, **change: Any) -> None:
    repository = publish_context.api(CHECK_PERMISSIONS).repository(publish_context.name)
    run = repository.get_check_run(number)
    publish_context.writer.edit(lambda: run.edit(**_given(**change)))


def _given(**fields: Any) -> dict[str, Any]:
    """Return the fields that are given: GitHub keeps the others as they are."""
    return {name: value for name, value in fields.items() if value is not None}


def _output(
    title: str, summary: str, text: str | None = None, annotations: Sequence[Annotation] = ()
) -> dict[str, Any]:
    """Return the text of a check run; GitHub adds the annotations to those that it has."""
    notes = [asdict(annotation) for annotation in annotations]
    return _given(title=title, summary=summary, text=text, annotations=notes or None)
