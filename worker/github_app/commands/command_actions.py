"""Actions of the commands.  Every one may be carried out again without doing more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from worker.changes.python_source import NotANotebookError, has_function, notebook_code
from worker.github_app import messages
from worker.github_app.client.objects import lacks
from worker.github_app.command_grammar import (
    Apply,
    Approve,
    Command,
    Explain,
    Help,
    IgnoreFinding,
    Rerun,
    Stop,
    Unignore,
    Unknown,
)
from worker.github_app.commands.command_context import CommandContext
from worker.github_app.commands.suggestion_commits import Change, NotAppliedError, apply_change
from worker.github_app.context import CONTENT_PERMISSIONS
from worker.github_app.events.pull_request_events import job_of
from worker.github_app.publishing.inline_comments import suggestion_to_read
from worker.github_app.publishing.related_runs import is_partial
from worker.report import markdown_escape
from worker.report.markdown_report import ReportLinks, finding_text
from worker.report.stored_report import read_stored
from worker.store.conclusions import with_current_ignores
from worker.store.records import (
    IgnoreKind,
    IgnoreRecord,
    Job,
    OutboxTaskKind,
    RunOptions,
    RunRecord,
)
from worker.store.store import UnitOfWork

MAX_PARTIAL_RUNS = 5
"""Runs of parts of one pull request that may be under way at a time."""


MAX_EXPLANATION_BYTES = 60_000
"""Bytes of what is said of one finding."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The answer to a command; ``run``: the run to wait for before the answer is complete."""

    text: str
    run: str | None = None


def execute(
    command: Command, number: int, login: str, command_context: CommandContext
) -> CommandResult:
    """Carry out the command that is the ``number``-th of its comment.

    Raises ``GithubError``, ``MachineError`` and ``sqlalchemy.exc.SQLAlchemyError``.
    """
    match command:
        case Rerun(options):
            answer = _rerun(options, f"{command_context.key}:{number}", login, command_context)
        case Approve(commit):
            answer = _approve(commit, f"{command_context.key}:{number}", login, command_context)
        case IgnoreFinding():
            answer = CommandResult(_ignore_finding(command, login, command_context))
        case Unignore(fingerprint):
            answer = CommandResult(_unignore(fingerprint, command_context))
        case Explain(fingerprint):
            answer = CommandResult(_explain(fingerprint, command_context))
        case Apply(fingerprint):
            answer = CommandResult(_apply(fingerprint, login, command_context))
        case Stop():
            answer = CommandResult(_stop(login, command_context))
        case Help():
            answer = CommandResult(messages.HELP)
        case Unknown():
            answer = CommandResult(messages.unknown(command))
    return answer


def _rerun(
    options: RunOptions, key: str, login: str, command_context: CommandContext
) -> CommandResult:
    """Ask for a new run, of a function that is there."""
    if (
        options.target is not None
        and command_context.pull.open
        and _is_nowhere(options.target, command_context)
    ):
        return CommandResult(messages.nowhere(options.target, command_context.pull.head))
    return rerun(options, key, login, command_context)


def _is_nowhere(target: str, command_context: CommandContext) -> bool:
    """Say whether a target certainly names no function of the head.  Raises ``GithubError``."""
    path, _, function = target.partition("::")
    where = command_context.where
    api = command_context.context.api(where.installation, where.id, **CONTENT_PERMISSIONS)
    return lacks(
        api, where.full_name, path, command_context.pull.head, partial(_defines, path, function)
    )


def _defines(path: str, function: str, text: str) -> bool:
    if path.endswith(".py"):
        return has_function(text, function, inherited=True)
    try:
        return has_function(notebook_code(text), function, inherited=True)
    except NotANotebookError:
        return False


def rerun(
    options: RunOptions, key: str, login: str, command_context: CommandContext
) -> CommandResult:
    """Ask for a new run on the head as it is now; what it repeats is cancelled."""
    pull, where = command_context.pull, command_context.where
    if not pull.open:
        return CommandResult(messages.CLOSED)
    plain = job_of(pull, where, f"asked for again by {login}")
    job = replace(plain, key=key, options=replace(options, fresh=True))
    with command_context.context.store.write() as unit:
        if _is_too_much(job, command_context, unit):
            return CommandResult(messages.TOO_MANY)
        unit.runs.ask(job, supersede=True)
        run = unit.runs.get(unit.runs.keyed(key) or "")
        if run is not None and not is_partial(options):
            _cancel_repeated(unit, run, command_context)
    page = None if run is None else command_context.context.links.run(run.id, run.job.private)
    return CommandResult(messages.rerunning(run, page), None if run is None else run.id)


def _is_too_much(job: Job, command_context: CommandContext, unit: UnitOfWork) -> bool:
    runs = unit.runs.of_pull(command_context.where.id, command_context.pull.number)
    parts = [run for run in runs if not run.state.over and is_partial(run.job.options)]
    asked = any(run.job.key == job.key for run in runs)
    return not asked and is_partial(job.options) and len(parts) >= MAX_PARTIAL_RUNS


def _cancel_repeated(unit: UnitOfWork, run: RunRecord, command_context: CommandContext) -> None:
    """Cancel what runs on the same head from before this was asked for."""
    for other in unit.runs.of_pull(command_context.where.id, command_context.pull.number):
        mine = (other.job.key or "").startswith(f"{command_context.key}:")
        if not other.state.over and other.id != run.id and not mine:
            unit.runs.cancel(other.id, "superseded by a rerun that was asked for")


def _ignore_finding(command: IgnoreFinding, login: str, command_context: CommandContext) -> str:
    now = command_context.context.now()
    if command.until is not None and command.until <= now.date():
        return messages.PAST.format(command.until.isoformat())
    found = command_context.found(command.fingerprint)
    if found is None:
        return messages.NOT_FOUND.format(markdown_escape.code(command.fingerprint))
    ignore = IgnoreRecord(
        repository=command_context.where.id,
        fingerprint=command.fingerprint,
        reason=command.reason,
        by=login,
        at=now,
        until=command.until,
        target=found[2]["target"],
    )
    with command_context.context.store.write() as unit:
        unit.ignores.add(ignore)
        publish_again(unit, command_context)
    return messages.now_ignored(command.fingerprint, command.until)


def _unignore(fingerprint: str, command_context: CommandContext) -> str:
    done = f"unignored:{command_context.key}:{fingerprint}"
    with command_context.context.store.write() as unit:
        removed = unit.ignores.remove(command_context.where.id, fingerprint)
        if removed:
            unit.idempotency.done(done, fingerprint)
            publish_again(unit, command_context)
        elif unit.idempotency.get(done) is None:
            return messages.NOT_IGNORED.format(markdown_escape.code(fingerprint))
    return messages.counts_again(fingerprint)


def publish_again(unit: UnitOfWork, command_context: CommandContext) -> None:
    """Have the newest run told of again; once for everything that is asked at once."""
    latest = unit.runs.latest(command_context.where.id, command_context.pull.number)
    if latest is not None and latest.state.over:
        installation = command_context.where.installation
        unit.outbox_tasks.add_for(OutboxTaskKind.PUBLISH, latest, command_context.key, installation)


def _explain(fingerprint: str, command_context: CommandContext) -> str:
    found = command_context.found(fingerprint)
    if found is None:
        return messages.NOT_FOUND.format(markdown_escape.code(fingerprint))
    run, document, _ = found
    context = command_context.context
    with context.store.read() as unit:
        ignores = unit.ignores.of(command_context.where.id)
    today = context.now().date()
    report = read_stored(
        with_current_ignores(document, ignores, today, command_context.policy.gate)
    )
    finding = next(each for each in report.findings if each.fingerprint == fingerprint)
    private = run.job.private or command_context.where.private
    addresses = ReportLinks(
        context.links.run(run.id, private), lambda name: context.links.file(run.id, name, private)
    )
    page = f"\n\n[The whole report]({addresses.page})" if addresses.page else ""
    told = finding_text(
        finding, report, addresses, suggestion_to_read(finding), MAX_EXPLANATION_BYTES
    )
    return _as_of(run, command_context) + told + page


def _as_of(run: RunRecord, command_context: CommandContext) -> str:
    """Say so where a finding was told of a commit that is the head no more."""
    head = run.job.head or ""
    if head == command_context.pull.head:
        return ""
    return f"This was found at {markdown_escape.code(head[:7])}, which is the head no more.\n\n"


def _apply(fingerprint: str, login: str, command_context: CommandContext) -> str:
    found = command_context.found(fingerprint)
    if found is None:
        return messages.NOT_FOUND.format(markdown_escape.code(fingerprint))
    change = Change([found[2]], found[0], login)
    try:
        return messages.applied(apply_change(change, command_context), 1)
    except NotAppliedError as error:
        return str(error)


def _approve(commit: str, key: str, login: str, command_context: CommandContext) -> CommandResult:
    """Approve the head that was there when this was asked for, and no other.

    Only whole names count: others are easily given to another commit.
    """
    pull, where = command_context.pull, command_context.where
    if pull.head != (commit or command_context.head):
        return CommandResult(messages.OTHER_HEAD.format(markdown_escape.code(pull.head), pull.head))
    if not pull.fork:
        return CommandResult(messages.NOT_A_FORK)
    with command_context.context.store.write() as unit:
        unit.approvals.give(where.full_name, pull.head, login)
    again = rerun(RunOptions(), key, login, command_context)
    said = messages.APPROVED.format(markdown_escape.code(pull.head))
    return CommandResult(said, again.run) if again.run else CommandResult(f"{said}\n\n{again.text}")


def _stop(login: str, command_context: CommandContext) -> str:
    """Cancel what runs; a second try finds those that the first one ended."""
    reason = f"stopped by {login}"
    said = f"{reason} ({command_context.key.rpartition(':')[2]})"
    with command_context.context.store.write() as unit:
        runs = unit.runs.of_pull(command_context.where.id, command_context.pull.number)
        _cancel(unit, (run for run in runs if not run.state.over), said)
        after = unit.runs.of_pull(command_context.where.id, command_context.pull.number)
    number = sum(run.error == said for run in after)
    return messages.stopped(number) if number else messages.NOTHING_RUNS


def _cancel(unit: UnitOfWork, runs: Iterable[RunRecord], reason: str) -> None:
    for run in runs:
        unit.runs.cancel(run.id, reason)


def accept_baseline(run: RunRecord, login: str, command_context: CommandContext) -> None:
    """Count each new finding of a run as one that was there before."""
    now = command_context.context.now()
    with command_context.context.store.write() as unit:
        document = unit.runs.report(run.id)
        if document is None:
            return
        today = with_current_ignores(
            document, unit.ignores.of(command_context.where.id), now.date()
        )
        new = [f for f in today["findings"] if f["status"] == "new" and not f.get("ignored")]
        for finding in new:
            unit.ignores.add(
                IgnoreRecord(
                    repository=command_context.where.id,
                    fingerprint=finding["fingerprint"],
                    reason="accepted as baseline",
                    by=login,
                    at=now,
                    kind=IgnoreKind.BASELINE,
                    target=finding["target"],
                )
            )
        publish_again(unit, command_context)
