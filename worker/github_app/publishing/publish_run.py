"""Making GitHub agree with the database about a run that is over.

The check run is completed first, since a merge may wait for it and nothing
else; then come annotations, remarks and the summary comment.  Every step
may be taken again, and the errand is done only after the last one: a crash
between two of them leaves the rest to the next try.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from github.IssueComment import IssueComment

from worker.errors import MachineError
from worker.github_app import messages
from worker.github_app.client.errors import TooLargeError
from worker.github_app.client.objects import file_text, listed
from worker.github_app.context import (
    CONTENT_PERMISSIONS,
    PULL_PERMISSIONS,
    PublishContext,
    TaskContext,
    publish_context_of,
)
from worker.github_app.publishing.audit_issue import audit_issue, update_audit_issue
from worker.github_app.publishing.check_runs import (
    CheckRunOutput,
    cancelled_output,
    conclude,
    existing_check_run,
    failed_output,
    is_concluded,
)
from worker.github_app.publishing.inline_comments import ChangedFile
from worker.github_app.publishing.publication import (
    PullRequestState,
    ReportedRun,
    check_run_output,
    compose,
    suggestion_paths,
)
from worker.github_app.publishing.related_runs import (
    PASSING,
    hold_back,
    is_partial,
    merged_with_whole,
    republish_others,
    runs_of_shared_head,
)
from worker.github_app.publishing.review_comments import PostedComments, ReviewCommenter
from worker.github_app.publishing.staleness import (
    StaleError,
    Staleness,
    check_current_head,
    ensure_current,
    staleness_of,
)
from worker.github_app.publishing.summary_comment import standing_summary, update_summary
from worker.store.conclusions import CheckConclusion, conclusion_of
from worker.store.records import OutboxTaskKind, OutboxTaskRecord, RunRecord, RunState
from worker.store.store import UnitOfWork

_log = logging.getLogger(__name__)


def publish(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Publish what became of a run, if it is over and still waited for.

    Reruns of a part wait for the run of all of their commit, and are told
    again after it.
    """
    publish_context = publish_context_of(task, context)
    if publish_context is None or not publish_context.run.state.over:
        return
    _publish(publish_context)
    with context.store.write() as unit:
        _republish_parts(publish_context, unit)
        republish_others(task, publish_context.run, unit)


def _publish(publish_context: PublishContext) -> None:
    run = publish_context.run
    if run.state is RunState.CANCELLED:
        _withdraw(publish_context, cancelled_output(run.error or messages.SUPERSEDED))
        return
    staleness, pull = staleness_of(publish_context)
    if staleness is Staleness.STALE:
        _withdraw(publish_context, cancelled_output(messages.SUPERSEDED))
        check_current_head(publish_context, pull)
    elif not _waits_for_whole(run, publish_context.context):
        _publish_ended(publish_context, _reported(run, publish_context.context), staleness)


def _publish_ended(
    publish_context: PublishContext, reported: ReportedRun, staleness: Staleness
) -> None:
    job = reported.run.job
    output = _beside_others(_output(publish_context, reported), publish_context)
    if output is None:
        return
    conclude(publish_context, output)
    if job.pull is not None and staleness is Staleness.CURRENT:
        _update_pull_request(publish_context, reported, job.pull)
    if job.pull is None and job.options.everything and reported.document is not None:
        found = audit_issue(reported.document, reported.ignores, reported.today, reported.addresses)
        update_audit_issue(found, publish_context)


def give_up_publication(task: OutboxTaskRecord, context: TaskContext, incident: str) -> None:
    """Finish the check run of a run that cannot be published, where it stands unfinished."""
    publish_context = publish_context_of(task, context)
    if publish_context is not None:
        with context.store.write() as unit:
            policy = unit.runs.policy(publish_context.run.id)
            republish_others(task, publish_context.run, unit)
        conclusion = conclusion_of(RunState.FAILED, None, policy)
        apology = failed_output(conclusion, incident, None, publish_context.page)
        _withdraw(publish_context, apology)


def _withdraw(publish_context: PublishContext, output: CheckRunOutput) -> None:
    """Finish a check run that is there and unfinished; say nothing else."""
    check_run = existing_check_run(publish_context)
    if check_run is not None and not is_concluded(publish_context, check_run):
        run = replace(publish_context.run, check_run=check_run)
        conclude(replace(publish_context, run=run), output)


def _output(publish_context: PublishContext, reported: ReportedRun) -> CheckRunOutput:
    """Return what the check run says; complete it with an apology where even that breaks."""
    try:
        return check_run_output(reported)
    except Exception:
        run = reported.run
        conclusion = conclusion_of(RunState.FAILED, None, reported.policy)
        conclude(publish_context, failed_output(conclusion, run.id, None, publish_context.page))
        raise


def _beside_others(
    output: CheckRunOutput, publish_context: PublishContext
) -> CheckRunOutput | None:
    """Return the output beside those of pull requests with the same head.

    ``None``: another one is unfinished, and this one is told when that one is.
    """
    context = publish_context.context
    with context.store.read() as unit:
        others = runs_of_shared_head(publish_context.run, unit)
    if any(not other.state.over for other in others):
        return None if output.conclusion in PASSING else output
    told = {o.job.pull: _conclusion(o, context) for o in others if o.job.pull is not None}
    return hold_back(output, told)


def _conclusion(run: RunRecord, context: TaskContext) -> CheckConclusion:
    try:
        return check_run_output(_reported(run, context)).conclusion
    except MachineError:
        return CheckConclusion.ACTION_REQUIRED


def _reported(run: RunRecord, context: TaskContext) -> ReportedRun:
    with context.store.read() as unit:
        earlier = _earlier(run, unit)
        document = unit.runs.report(run.id)
        return ReportedRun(
            run=run,
            document=document
            and merged_with_whole(document, _whole_report(run, unit), run.job.options),
            policy=unit.runs.policy(run.id),
            ignores=unit.ignores.of(run.job.repository_id or 0),
            today=context.now().date(),
            links=context.links,
            previous=None if earlier is None else unit.runs.report(earlier.id),
        )


def _earlier(run: RunRecord, unit: UnitOfWork) -> RunRecord | None:
    """The last run of the pull request before this one that has a report."""
    if run.job.pull is None or run.job.repository_id is None:
        return None
    others = unit.runs.of_pull(run.job.repository_id, run.job.pull)
    before = (r for r in others if r.created_at < run.created_at and r.state is RunState.DONE)
    return next(before, None)


def _whole_report(run: RunRecord, unit: UnitOfWork) -> Mapping[str, Any] | None:
    """The report of the last run of the same commit that tested everything."""
    if not is_partial(run.job.options):
        return None
    found = next((r for r in _whole_runs(run, unit) if r.state is RunState.DONE), None)
    return None if found is None else unit.runs.report(found.id)


def _waits_for_whole(run: RunRecord, context: TaskContext) -> bool:
    if not is_partial(run.job.options):
        return False
    with context.store.read() as unit:
        wholes = _whole_runs(run, unit)
    done = any(other.state is RunState.DONE for other in wholes)
    return not done and any(not other.state.over for other in wholes)


def _whole_runs(run: RunRecord, unit: UnitOfWork) -> tuple[RunRecord, ...]:
    """The runs of the same commits and pull request that test everything, newest first.

    One against another base branch tested something else.
    """
    found = (r for r in _siblings(run, unit) if r.job.base == run.job.base)
    return tuple(r for r in found if not is_partial(r.job.options))


def _siblings(run: RunRecord, unit: UnitOfWork) -> tuple[RunRecord, ...]:
    job = run.job
    if job.repository_id is None or job.head is None:
        return ()
    there = unit.runs.of_head(job.repository_id, job.head)
    return tuple(r for r in there if r.id != run.id and r.job.pull == job.pull)


def _republish_parts(publish_context: PublishContext, unit: UnitOfWork) -> None:
    """Ask for the publication of reruns that take something over from this run."""
    run, kind = publish_context.run, OutboxTaskKind.PUBLISH
    if not is_partial(run.job.options):
        for part in _siblings(run, unit):
            if is_partial(part.job.options) and part.state is RunState.DONE:
                unit.outbox_tasks.add_for(
                    kind, part, f"after:{run.id}", publish_context.installation
                )


def _update_pull_request(publish_context: PublishContext, reported: ReportedRun, pull: int) -> None:
    """Write review comments and the summary, for as long as the head stays where it is."""

    def check() -> None:
        ensure_current(publish_context)

    commenter = ReviewCommenter(publish_context, pull, check)
    try:
        there, comment = commenter.conversation(), standing_summary(publish_context)
        pull_state = _pull_request_state(publish_context, reported, pull, there, comment)
        publication = compose(reported, pull_state)
        unplaced = commenter.take(publication.steps, there)
        if unplaced:
            # as if the files of findings that found no place were not changed
            findings = (reported.document or {}).get("findings", ())
            paths = {f["path"] for f in findings if f["fingerprint"] in unplaced}
            files = [file for file in pull_state.files if file.path not in paths]
            publication = compose(reported, replace(pull_state, files=files))
        if publication.sticky is not None:
            update_summary(publish_context, publication.sticky, comment, check)
    except StaleError:
        _log.info("the head of pull request %d has moved: no more is said of this run", pull)


def _pull_request_state(
    publish_context: PublishContext,
    reported: ReportedRun,
    pull: int,
    there: PostedComments,
    summary: IssueComment | None,
) -> PullRequestState:
    name = publish_context.name
    api = publish_context.api(CONTENT_PERMISSIONS)
    found = {
        path: file_text(api, name, path, publish_context.head)
        for path in sorted(suggestion_paths(reported))
    }
    try:
        # GitHub lists 3,000 and says nothing of others
        found_pull = publish_context.api(PULL_PERMISSIONS).repository(name).get_pull(pull)
        files = list(listed(found_pull.get_files(), "filename", "status"))
    except TooLargeError as error:
        _log.info("all is told in the summary: %s", error.message)
        files = []
    return PullRequestState(
        files=[ChangedFile(file.filename, file.status, file.patch) for file in files],
        texts={path: text for path, text in found.items() if text is not None},
        review_comments=there.standing,
        sticky=summary is not None,
    )
