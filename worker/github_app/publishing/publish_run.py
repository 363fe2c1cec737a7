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

from worker.errors import MachineError
from worker.github_app.client import contents, pulls
from worker.github_app.client.errors import TooLargeError
from worker.github_app.context import (
    CONTENT_PERMISSIONS,
    PULL_PERMISSIONS,
    PublishDestination,
    TaskContext,
    destination_of,
)
from worker.github_app.publishing.audit_issue import audit_issue, update_audit_issue
from worker.github_app.publishing.check_runs import (
    CheckRunOutput,
    cancelled_output,
    conclude,
    existing_check_run,
    failed_output,
    is_concluded,
    run_of_task,
)
from worker.github_app.publishing.inline_comments import ChangedFile
from worker.github_app.publishing.publication import (
    PublishContext,
    PullRequestState,
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
from worker.github_app.publishing.summary_comment import SummaryComment
from worker.store.conclusions import CheckConclusion, conclusion_of
from worker.store.outbox_tasks import ordering_key_of
from worker.store.records import OutboxTask, OutboxTaskKind, OutboxTaskRecord, RunRecord, RunState
from worker.store.store import UnitOfWork

SUPERSEDED = "a newer commit or run has taken its place"

_log = logging.getLogger(__name__)


def publish(task: OutboxTaskRecord, context: TaskContext) -> None:
    """Publish what became of a run, if it is over and still waited for.

    Reruns of a part wait for the run of all of their commit, and are told
    again after it.
    """
    run = run_of_task(task, context)
    destination = None if run is None else destination_of(run, context)
    if run is None or destination is None or not run.state.over:
        return
    _publish(run, destination, context)
    with context.store.write() as unit:
        _republish_parts(run, destination, unit)
        republish_others(task, run, unit)


def _publish(run: RunRecord, destination: PublishDestination, context: TaskContext) -> None:
    if run.state is RunState.CANCELLED:
        _withdraw(run, destination, cancelled_output(run.error or SUPERSEDED), context)
        return
    standing = staleness_of(run, destination, context)
    if standing is Staleness.STALE:
        _withdraw(run, destination, cancelled_output(SUPERSEDED), context)
        check_current_head(destination, context)
    elif not _waits_for_whole(run, context):
        _publish_ended(_publish_context(run, context), destination, standing, context)


def _publish_ended(
    publish_context: PublishContext,
    destination: PublishDestination,
    standing: Staleness,
    context: TaskContext,
) -> None:
    run = publish_context.run
    output = _shared(_outcome(publish_context, destination, context), run, context)
    if output is None:
        return
    conclude(run, destination, output, context)
    if destination.pull is not None and standing is Staleness.CURRENT:
        _update_pull_request(publish_context, destination, destination.pull, context)
    if (
        destination.pull is None
        and run.job.options.everything
        and publish_context.document is not None
    ):
        found = audit_issue(
            publish_context.document,
            publish_context.ignores,
            publish_context.today,
            publish_context.addresses,
        )
        update_audit_issue(found, destination, context)


def give_up_publication(task: OutboxTaskRecord, context: TaskContext, incident: str) -> None:
    """Finish the check run of a run that cannot be published, where it stands unfinished."""
    run = run_of_task(task, context)
    destination = None if run is None else destination_of(run, context)
    if run is not None and destination is not None:
        with context.store.write() as unit:
            policy = unit.runs.policy(run.id)
            republish_others(task, run, unit)
        nothing = PublishContext(run, None, policy, (), context.now().date(), context.links)
        conclusion = conclusion_of(RunState.FAILED, None, policy)
        _withdraw(
            run, destination, failed_output(conclusion, incident, None, nothing.addresses), context
        )


def _withdraw(
    run: RunRecord, destination: PublishDestination, output: CheckRunOutput, context: TaskContext
) -> None:
    """Finish a check run that is there and unfinished; say nothing else."""
    check_run = existing_check_run(run, destination, context)
    if check_run is not None and not is_concluded(destination, check_run, context):
        conclude(replace(run, check_run=check_run), destination, output, context)


def _outcome(
    publish_context: PublishContext, destination: PublishDestination, context: TaskContext
) -> CheckRunOutput:
    """What the check run says; an apology where even that breaks."""
    try:
        return check_run_output(publish_context)
    except Exception:
        run = publish_context.run
        conclusion = conclusion_of(RunState.FAILED, None, publish_context.policy)
        apology = failed_output(conclusion, run.id, None, publish_context.addresses)
        conclude(run, destination, apology, context)
        raise


def _shared(output: CheckRunOutput, run: RunRecord, context: TaskContext) -> CheckRunOutput | None:
    """The output beside those of pull requests with the same head; ``None``: one is unfinished.

    Then it is told when that one is.
    """
    with context.store.read() as unit:
        others = runs_of_shared_head(run, unit)
    if any(not other.state.over for other in others):
        return None if output.conclusion in PASSING else output
    told = {o.job.pull: _conclusion(o, context) for o in others if o.job.pull is not None}
    return hold_back(output, told)


def _conclusion(run: RunRecord, context: TaskContext) -> CheckConclusion:
    """How another run concludes; one whose report cannot be read asks for action."""
    try:
        return check_run_output(_publish_context(run, context)).conclusion
    except MachineError:
        return CheckConclusion.ACTION_REQUIRED


def _publish_context(run: RunRecord, context: TaskContext) -> PublishContext:
    with context.store.read() as unit:
        earlier = _earlier(run, unit)
        document = unit.runs.report(run.id)
        return PublishContext(
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
    """Whether a rerun of a part was quicker than the run of all."""
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


def _republish_parts(run: RunRecord, destination: PublishDestination, unit: UnitOfWork) -> None:
    """Ask for the publication of reruns that take something over from this run."""
    if is_partial(run.job.options):
        return
    for part in _siblings(run, unit):
        if is_partial(part.job.options) and part.state is RunState.DONE:
            key = f"publish:{part.id}:after:{run.id}"
            ordering_key = ordering_key_of(part.job)
            unit.outbox_tasks.add(
                OutboxTask(
                    OutboxTaskKind.PUBLISH, destination.installation, ordering_key, key, run=part.id
                )
            )


# ------------------------------------------------------------ pull requests


def _update_pull_request(
    publish_context: PublishContext,
    destination: PublishDestination,
    pull: int,
    context: TaskContext,
) -> None:
    """Remarks and the summary comment, for as long as the head stays where it is."""

    def check() -> None:
        ensure_current(publish_context.run, destination, context)

    remarker = ReviewCommenter(destination, pull, context, check)
    summary = SummaryComment(destination, pull, context, check)
    try:
        there, comment = remarker.conversation(), summary.standing()
        pull_state = _pull_request_state(
            publish_context, destination, there, context, sticky=comment is not None
        )
        publication = compose(publish_context, pull_state)
        unplaced = remarker.take(publication.steps, there)
        if unplaced:
            publication = compose(publish_context, _without(pull_state, unplaced, publish_context))
        if publication.sticky is not None:
            summary.say(publication.sticky, comment)
    except StaleError:
        _log.info("the head of pull request %d has moved: no more is said of this run", pull)


def _pull_request_state(
    publish_context: PublishContext,
    destination: PublishDestination,
    there: PostedComments,
    context: TaskContext,
    *,
    sticky: bool,
) -> PullRequestState:
    api = context.api(destination.installation, destination.repository, **CONTENT_PERMISSIONS)
    found = {
        path: contents.text(api, destination.name, path, destination.head)
        for path in sorted(suggestion_paths(publish_context))
    }
    return PullRequestState(
        files=_files(destination, context),
        texts={path: text for path, text in found.items() if text is not None},
        review_comments=there.standing,
        sticky=sticky,
    )


def _files(destination: PublishDestination, context: TaskContext) -> tuple[ChangedFile, ...]:
    """The files of the pull request, as many as GitHub lists; none where it lists none."""
    assert destination.pull is not None
    api = context.api(destination.installation, destination.repository, **PULL_PERMISSIONS)
    try:
        files = pulls.files(api, destination.name, destination.pull)
    except TooLargeError as error:
        _log.info("all is told in the summary: %s", error.message)
        return ()
    return tuple(ChangedFile(file.filename, file.status, file.patch) for file in files)


def _without(
    pull_state: PullRequestState, unplaced: tuple[str, ...], publish_context: PublishContext
) -> PullRequestState:
    """The scene as if the files of findings that found no place were not changed."""
    findings = (publish_context.document or {}).get("findings", ())
    paths = {f["path"] for f in findings if f["fingerprint"] in unplaced}
    return replace(pull_state, files=[file for file in pull_state.files if file.path not in paths])
