"""Pull requests: what happens to one decides which of its heads are checked."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from github.PullRequest import PullRequest as GithubPullRequest

from worker.github_app.events.event_payloads import PullRequest, PullRequestEvent, read
from worker.github_app.events.installation_events import record_repository
from worker.store.records import (
    Delivery,
    Job,
    OutboxTaskKind,
    PullRecord,
    RepositoryRecord,
    RunRecord,
    RunState,
)
from worker.store.store import UnitOfWork

_TESTED = frozenset({"opened", "reopened", "synchronize", "ready_for_review", "edited"})
_LONGEST_REF = 120
GHOST = "ghost"
"""Who GitHub shows where an account is gone."""


def handle_pull_request(delivery: Delivery, unit: UnitOfWork) -> None:
    """Check what a pull request is now; a draft waits until it is ready.

    A new head, a new base or its end cancels what runs for it.
    """
    if delivery.action not in {*_TESTED, "closed"}:
        return
    event = read(PullRequestEvent, delivery.body)
    if delivery.action == "edited" and (event.changes is None or event.changes.base is None):
        return
    where = record_repository(unit, event.repository, event.installation)
    pull = pull_request_of(event.pull_request, event.repository.id)
    known = unit.pulls.get(pull.repository, pull.number)
    if (known is not None and _is_overtaken(pull, known, event)) or not unit.pulls.see(pull):
        return
    _cancel_others(unit, pull, known)
    if known is not None and (pull.head != known.head or not pull.open):
        _republish_others(unit, pull, known.head)
    if pull.open and not pull.draft:
        job = job_of(pull, where, f"pull request {pull.number} {delivery.action}")
        _check(unit, job, pull, fresh=known is None or _state(known) != _state(pull))


def ensure_checked(
    unit: UnitOfWork, pull: PullRecord, where: RepositoryRecord, reason: str
) -> None:
    """Have the head of an open pull request checked, unless that was asked for before."""
    if pull.open and not pull.draft:
        _check(unit, job_of(pull, where, reason), pull, fresh=False)


def job_of(pull: PullRecord, where: RepositoryRecord, reason: str) -> Job:
    """The one check of a pull request's head against its base branch."""
    return Job(
        repository=where.full_name,
        base=pull.base,
        head=pull.head,
        reason=reason,
        private=where.private,
        fork=pull.fork,
        repository_id=where.id,
        installation=where.installation or None,
        pull=pull.number,
        key=automatic_key(where.id, pull.head, pull.base_ref),
    )


def automatic_key(repository: int, head: str, base_ref: str) -> str:
    """The key of the one check of a head that nobody had to ask for."""
    if len(base_ref) > _LONGEST_REF:
        base_ref = hashlib.sha256(base_ref.encode()).hexdigest()
    return f"{repository}:{head}:{base_ref}"


def pull_request_of(told: PullRequest | GithubPullRequest, repository: int) -> PullRecord:
    """Return a pull request of an event or of the API as the store keeps it."""
    source = told.head.repo
    assert told.updated_at is not None
    return PullRecord(
        repository=repository,
        number=told.number,
        base_ref=told.base.ref,
        base=told.base.sha,
        head_ref=told.head.ref,
        head=told.head.sha,
        head_repository=source.id if source else None,
        head_name=source.full_name if source else None,
        author=told.user.login if told.user else GHOST,
        draft=bool(told.draft),
        open=told.state == "open",
        maintainers_edit=bool(told.maintainer_can_modify),
        updated_at=told.updated_at,
    )


def _is_overtaken(pull: PullRecord, known: PullRecord, event: PullRequestEvent) -> bool:
    """Return whether an event is older than what is known; GitHub's clock counts in seconds.

    Within one second a pull request is opened first and closed last, and a
    push starts from the head before it.
    """
    if pull.updated_at != known.updated_at:
        return pull.updated_at < known.updated_at
    if event.action in {"closed", "reopened"}:
        return False
    if not known.open or (pull.draft and not known.draft):
        return True
    if pull.head != known.head:
        return event.before != known.head
    return False


def _state(pull: PullRecord) -> tuple[bool, bool, str, str]:
    return (pull.open, pull.draft, pull.head, pull.base_ref)


def _cancel_others(unit: UnitOfWork, pull: PullRecord, known: PullRecord | None) -> None:
    """Cancel what runs for a former head or base, or for a pull request that is over."""
    rebased = known is not None and known.base_ref != pull.base_ref
    for run in unit.runs.of_pull(pull.repository, pull.number):
        reason = _superseded_reason(run, pull, rebased=rebased)
        if reason is not None and not run.state.over:
            unit.runs.cancel(run.id, reason)


def _superseded_reason(run: RunRecord, pull: PullRecord, *, rebased: bool) -> str | None:
    if not pull.open:
        return "the pull request was closed"
    if run.job.head != pull.head:
        return f"superseded by {pull.head[:7]}"
    return "superseded by another base branch" if rebased else None


def _check(unit: UnitOfWork, job: Job, pull: PullRecord, *, fresh: bool) -> None:
    """Have a head checked.

    ``fresh``: the pull request was not like this before.  One that comes
    back to a head is told of its check again.  Nothing else starts a check
    again that somebody stopped.
    """
    if not fresh and _was_checked(unit, pull):
        return
    if unit.runs.ask(job, supersede=True) is not None or job.key is None:
        return
    holder = unit.runs.get(unit.runs.keyed(job.key) or "")
    if holder is None:
        return
    if holder.job.pull != pull.number:
        unit.runs.ask(replace(job, key=f"{job.key}:{pull.number}"), supersede=True)
    elif fresh and holder.state.over and job.installation is not None:
        _answer_again(unit, holder, pull, job)


def _was_checked(unit: UnitOfWork, pull: PullRecord) -> bool:
    runs = unit.runs.of_head(pull.repository, pull.head)
    return any(run.job.pull == pull.number for run in runs)


def _answer_again(unit: UnitOfWork, holder: RunRecord, pull: PullRecord, job: Job) -> None:
    """Tell what the check said, or check again where another one stands in its place.

    GitHub looks at the newest check run of a commit alone: one against
    another base branch, or of another pull request, must not pass for it.
    """
    moment = pull.updated_at.isoformat()
    newest = unit.runs.of_head(pull.repository, pull.head)[0]
    if not _is_same_check(newest, holder):
        unit.runs.ask(replace(job, key=f"{job.key}:{moment}"), supersede=True)
    elif newest.state.over:
        unit.outbox_tasks.add_for(OutboxTaskKind.PUBLISH, newest, moment)


def _republish_others(unit: UnitOfWork, pull: PullRecord, head: str) -> None:
    """Tell anew of pull requests that shared a head, and maybe its answer, with this one."""
    runs = unit.runs.of_head(pull.repository, head)
    for other in unit.pulls.with_head(pull.repository, head):
        mine = (run for run in runs if run.job.pull == other.number)
        newest = next((run for run in mine if run.state is not RunState.CANCELLED), None)
        if other.open and newest is not None and newest.state.over:
            moment = pull.updated_at.isoformat()
            why = f"without:{pull.number}:{moment}"
            unit.outbox_tasks.add_for(OutboxTaskKind.PUBLISH, newest, why)


def _is_same_check(one: RunRecord, other: RunRecord) -> bool:
    return (one.job.pull, one.job.base) == (other.job.pull, other.job.base)
