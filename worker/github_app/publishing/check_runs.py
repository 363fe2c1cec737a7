"""What a check run says: its title, summary, text, annotations and buttons."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import PurePosixPath

from analyzers.vocabulary import Conclusion, Level, Status
from worker.github_app.client import checks
from worker.github_app.client.api import Api
from worker.github_app.client.checks import ANNOTATIONS_A_CALL, Action, Annotation
from worker.github_app.client.errors import RefusedError
from worker.github_app.context import (
    CHECK_PERMISSIONS,
    PublishDestination,
    TaskContext,
    destination_of,
    numeric_app_id,
)
from worker.github_app.publishing.inline_comments import (
    inline_candidates,
    offer_to_read,
    suggestion_to_read,
)
from worker.report import markdown_escape, report_messages
from worker.report.markdown_escape import plain
from worker.report.markdown_report import ReportLinks, check_command, finding_text, size, summary
from worker.report.stored_report import StoredFinding, StoredReport
from worker.store.conclusions import CheckConclusion
from worker.store.records import OutboxTaskRecord, RunRecord, RunState

MAX_TITLE = 255
MAX_TEXT_BYTES = 65_535
MAX_MESSAGE_BYTES = 64_000
MAX_ANNOTATIONS = 1_000
_RULE = "\n---\n\n"

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
    return CheckRunOutput(
        conclusion=conclusion,
        title=_clipped_bytes(report_messages.headline(report), MAX_TITLE),
        summary=summary(report, addresses.page, sections, MAX_TEXT_BYTES),
        text=_text(report, addresses),
        annotations=batches(annotations_of(report)),
        actions=actions(report, conclusion),
    )


def failed_output(
    conclusion: CheckConclusion, incident: str, error: str | None, addresses: ReportLinks
) -> CheckRunOutput:
    """Return our apology for a run that has no report; ``incident`` is its id."""
    said = failed_summary(incident, error, addresses)
    return CheckRunOutput(conclusion, report_messages.HEADLINES[Conclusion.ERROR], said)


def refused_output(error: str, addresses: ReportLinks) -> CheckRunOutput:
    """Return what is said of a run that a mistake in what was asked kept from beginning."""
    return CheckRunOutput(
        CheckConclusion.ACTION_REQUIRED,
        "Not tested: something has to be corrected first",
        refused_summary(error, addresses),
    )


def refused_summary(error: str, addresses: ReportLinks) -> str:
    """Return what has to be corrected as Markdown."""
    page = f" [Its page]({addresses.page})." if addresses.page else ""
    return (
        "### Assayer: not tested, something has to be corrected first\n\n"
        f"{markdown_escape.plain(report_messages.clipped(error, 2_000))}\n\n"
        f"When it is corrected, push or write {markdown_escape.code('/assayer rerun')}.{page}\n"
    )


def failed_summary(incident: str, error: str | None, addresses: ReportLinks) -> str:
    """Return our apology as Markdown."""
    page = f" [What is known of it]({addresses.page})." if addresses.page else ""
    why = markdown_escape.plain(report_messages.clipped(error or "its report is lost", 2_000))
    return (
        "### Assayer: could not test this change\n\n"
        "We are sorry: this is our failure or our machine's, not yours, and it says nothing"
        f" about the change.\n\n{why}\n\n"
        f"Incident {markdown_escape.code(incident)}.{page} Press Re-run, or write"
        f" {markdown_escape.code('/assayer rerun')}, to try again.\n"
    )


def cancelled_output(reason: str) -> CheckRunOutput:
    """Return what the check run of a superseded or stopped run says."""
    title = _clipped_bytes(f"Cancelled: {markdown_escape.shown(reason)}", MAX_TITLE)
    why = markdown_escape.plain(report_messages.clipped(reason, 2_000))
    return CheckRunOutput(CheckConclusion.CANCELLED, title, f"This run was cancelled: {why}.\n")


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


def in_repository(path: str) -> bool:
    """Whether a path can name a file of a repository."""
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
        level=finding.level.value,
        title=_clipped_bytes(markdown_escape.shown(finding.title), MAX_TITLE),
        message=_clipped_bytes(message, MAX_MESSAGE_BYTES),
    )


def _text(report: StoredReport, addresses: ReportLinks) -> str | None:
    """Every finding in full, as many as fit."""
    told = [
        f for f in report_messages.sorted_findings(report) if f.fingerprint not in report.ignored
    ]
    parts = [_finding_section(finding, report, addresses) for finding in told]
    return cut(parts, MAX_TEXT_BYTES, addresses.page) if parts else None


def _finding_section(finding: StoredFinding, report: StoredReport, addresses: ReportLinks) -> str:
    location = report_messages.clipped(report_messages.location_text(finding), 300)
    heading = f"#### {markdown_escape.code(location)}"
    change = suggestion_to_read(finding) or offer_to_read(finding)
    told = finding_text(finding, report, addresses, change, MAX_TEXT_BYTES // 3)
    return f"{heading}\n\n{told}"


def cut(parts: Sequence[str], limit: int, page: str | None) -> str:
    """Return whole parts, as many as fit into ``limit`` bytes, and where the rest is."""
    whole = _RULE.join(parts)
    if size(whole) <= limit:
        return whole
    room = limit - size(_remainder_note(len(parts), page))
    sizes = accumulate(size(part) + size(_RULE) for part in parts)
    kept = sum(1 for total in sizes if total <= room)
    return _RULE.join([*parts[:kept], _remainder_note(len(parts) - kept, page)])


def _remainder_note(number: int, page: str | None) -> str:
    where = f"in the [full report]({page})" if page else "in the full report"
    return f"_{report_messages.counted(number, 'more finding')} {where}._\n"


def _clipped_bytes(text: str, limit: int) -> str:
    """The text in at most ``limit`` bytes, with an ellipsis where it was cut."""
    if size(text) <= limit:
        return text
    end = "…"
    return text.encode("utf-8", "replace")[: limit - size(end)].decode("utf-8", "ignore") + end


NAME = "Assayer"
WAITING = checks.Output(
    "Waits for its turn", "The change will be tested as soon as a worker is free."
)
STARTED = checks.Output("Testing", "The change is being tested.")


def announce(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Put a run's check run on its commit, once."""
    run = run_of_task(task, context)
    destination = None if run is None else destination_of(run, context)
    if run is not None and destination is not None and not run.state.over:
        ensure_check_run(run, destination, context)


def run_of_task(task: OutboxTaskRecord, context: TaskContext) -> RunRecord | None:
    """Return the run that an errand is about, as it stands now.

    It is private where its repository has become so: links to it are signed.
    """
    if task.task.run is None:
        return None
    with context.store.read() as unit:
        run = unit.runs.get(task.task.run)
        number = None if run is None else run.job.repository_id
        known = None if number is None else unit.installations.repository(number)
    if run is None or known is None or not known.private:
        return run
    return replace(run, job=replace(run.job, private=True))


def ensure_check_run(run: RunRecord, destination: PublishDestination, context: TaskContext) -> int:
    """Return the number of a run's check run, which is made where there is none."""
    if run.check_run is not None:
        return run.check_run
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)

    def send() -> str:
        return str(checks.create(api, destination.name, destination.head, _first(run, context)).id)

    made = context.writer(destination.installation).create(
        check_key(run), send, lambda: find_check_run(run, destination, context, api)
    )
    return _kept(run, int(made), context)


def existing_check_run(
    run: RunRecord, destination: PublishDestination, context: TaskContext
) -> int | None:
    """Return the number of the check run that an earlier try may have made; makes none."""
    if run.check_run is not None:
        return run.check_run
    with context.store.read() as unit:
        idempotency_record = unit.idempotency.get(check_key(run))
    if idempotency_record is None:
        return None
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    made = idempotency_record.made or find_check_run(run, destination, context, api)
    return None if made is None else _kept(run, int(made), context)


def check_key(run: RunRecord) -> str:
    """Return under what name the making of a check run is kept."""
    return f"check-run:{run.id}"


def find_check_run(
    run: RunRecord, destination: PublishDestination, context: TaskContext, api: Api
) -> str | None:
    """Find a run's check run at GitHub, by the run's id in it."""
    found = checks.of_ref(
        api, destination.name, destination.head, name=NAME, app=numeric_app_id(context)
    )
    return next((str(check.id) for check in found if check.external_id == run.id), None)


def _first(run: RunRecord, context: TaskContext) -> checks.Check:
    running = run.state is RunState.RUNNING
    return checks.Check(
        name=NAME,
        status="in_progress" if running else "queued",
        external_id=run.id,
        details_url=context.links.run(run.id, run.job.private),
        started_at=run.started_at if running else None,
        output=STARTED if running else WAITING,
    )


def _kept(run: RunRecord, check_run: int, context: TaskContext) -> int:
    with context.store.write() as unit:
        unit.runs.announced(run.id, check_run)
    return check_run


COMPLETED = "completed"


def progress(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Say what a run is doing, if it is under way and that is not said yet.

    Nothing is told of a run that is over: its conclusion stands, or comes.
    """
    run = run_of_task(task, context)
    destination = None if run is None else destination_of(run, context)
    if run is None or destination is None or run.state is not RunState.RUNNING:
        return
    check_run = ensure_check_run(run, destination, context)
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    standing = checks.get(api, destination.name, check_run)
    wanted = _doing(run)
    if not _says(standing, wanted) and _is_running(run, context):
        _tell(destination, check_run, wanted, context)


def _doing(run: RunRecord) -> checks.Check:
    said = plain(run.progress) if run.progress else ""
    output = checks.Output(STARTED.title, said) if said else STARTED
    return checks.Check(status="in_progress", started_at=run.started_at, output=output)


def _says(standing: checks.CheckRun, wanted: checks.Check) -> bool:
    """Whether a check run says this already, or says how it ended."""
    if standing.status == COMPLETED:
        return True
    assert wanted.output is not None
    return standing.status == wanted.status and standing.output.summary == wanted.output.summary


def _is_running(run: RunRecord, context: TaskContext) -> bool:
    with context.store.read() as unit:
        now = unit.runs.get(run.id)
    return now is not None and now.state is RunState.RUNNING


def _tell(
    destination: PublishDestination, check_run: int, wanted: checks.Check, context: TaskContext
) -> None:
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    context.writer(destination.installation).edit(
        lambda: checks.update(api, destination.name, check_run, wanted)
    )


MAX_PLAIN_TITLE = 60

_log = logging.getLogger(__name__)


def conclude(
    run: RunRecord, destination: PublishDestination, output: CheckRunOutput, context: TaskContext
) -> None:
    """Complete a run's check run; it is made where it was never announced.

    The conclusion is sent first and alone, so that what gates a merge never
    waits for the rest.  Annotations follow, as far as they do not stand:
    GitHub adds them up and takes none back.  Where GitHub refuses a text,
    the conclusion is told without it.
    """
    check_run = ensure_check_run(run, destination, context)
    try:
        _update(destination, check_run, _completed(run, output, context), context)
    except RefusedError as error:
        _log.error("GitHub refused what run %s says: %s", run.id, error.message)
        _update(
            destination,
            check_run,
            _completed(run, _wordless(run, output, context), context),
            context,
        )
        return
    if output.annotations:
        _annotate(destination, check_run, output, context)


def is_concluded(destination: PublishDestination, check_run: int, context: TaskContext) -> bool:
    """Whether a check run is completed already."""
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    return checks.get(api, destination.name, check_run).status == COMPLETED


def _completed(run: RunRecord, output: CheckRunOutput, context: TaskContext) -> checks.Check:
    return checks.Check(
        status="completed",
        conclusion=output.conclusion.value,
        details_url=context.links.run(run.id, run.job.private),
        started_at=run.started_at,
        completed_at=run.finished_at,
        output=_shown(output),
        actions=output.actions,
    )


def _annotate(
    destination: PublishDestination, check_run: int, output: CheckRunOutput, context: TaskContext
) -> None:
    """Send the batches that the check run does not have yet; one may be refused."""
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    there = checks.get(api, destination.name, check_run).output.annotations_count
    count = 0
    for batch in output.annotations:
        count += len(batch)
        if count > there:
            try:
                _update(destination, check_run, checks.Check(output=_shown(output, batch)), context)
            except RefusedError as error:
                _log.warning("GitHub refused annotations: %s", error.message)


def _update(
    destination: PublishDestination, check_run: int, change: checks.Check, context: TaskContext
) -> None:
    api = context.api(destination.installation, destination.repository, **CHECK_PERMISSIONS)
    context.writer(destination.installation).edit(
        partial(checks.update, api, destination.name, check_run, change)
    )


def _wordless(run: RunRecord, output: CheckRunOutput, context: TaskContext) -> CheckRunOutput:
    page = context.links.run(run.id, run.job.private)
    where = f"It is in the [full report]({page})." if page else "It is in the full report."
    said = f"GitHub did not take what there is to say. {where}"
    return CheckRunOutput(output.conclusion, output.title[:MAX_PLAIN_TITLE], said)


def _shown(output: CheckRunOutput, notes: tuple[checks.Annotation, ...] = ()) -> checks.Output:
    return checks.Output(output.title, output.summary, output.text, notes)
