"""BUTTON and RERUN errands: what people ask for at a check run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from analyzers.vocabulary import ANALYZER_NAMES
from worker.github_app import messages
from worker.github_app.client.objects import check_run, pulls_with_head
from worker.github_app.command_grammar import (
    INPUTS,
    Apply,
    Command,
    IgnoreFinding,
    Rerun,
    Unknown,
    parse,
)
from worker.github_app.commands.command_actions import (
    CommandResult,
    accept_baseline,
    execute,
    rerun,
)
from worker.github_app.commands.command_context import (
    MAX_REPLY_BYTES,
    CommandContext,
    Person,
    Requester,
    SourceComment,
    acknowledge,
    edit,
    find_requester,
    open_command_context,
    reply,
)
from worker.github_app.commands.suggestion_commits import Change, NotAppliedError, apply_change
from worker.github_app.context import CHECK_PERMISSIONS, TaskContext
from worker.github_app.rate_limited_writer import NotNowError
from worker.report.markdown_report import size
from worker.store.conclusions import affects_verdict, with_current_ignores
from worker.store.outbox_tasks import pull_ordering_key
from worker.store.records import (
    OutboxTask,
    OutboxTaskKind,
    OutboxTaskRecord,
    Policy,
    RepositoryRecord,
    RunOptions,
    RunRecord,
    RunState,
)

LOOK_AGAIN = timedelta(seconds=10)
"""How often an answer that waits for a run looks whether it is over."""
PUBLISHED_WITHIN = timedelta(minutes=15)
"""After this, an answer does not wait for what a run's check run says."""


def run_comment_commands(record: OutboxTaskRecord, context: TaskContext) -> None:
    """Carry out the commands of a comment; one reply answers them all."""
    order = record.task.order
    if "answer" in order:
        _complete(record, context)
        return
    commands = parse(order["body"], ANALYZER_NAMES)
    where = open_command_context(record, int(order["pull"]), context) if commands else None
    if where is None:
        return
    source = SourceComment(int(order["comment"]), bool(order["review_comment"]))
    author = Person(order["author"], order.get("author_id"))
    who = find_requester(where.api, where.where.full_name, author, where.pull.author, where.policy)
    allowed = [who.may(each, where.policy) for each in commands]
    carried_out = any(
        may and not isinstance(each, Unknown) for may, each in zip(allowed, commands, strict=True)
    )
    if carried_out and not acknowledge(where, source):
        return
    done = [
        execute(each, number, who.login, where) if may else CommandResult(_forbidden(each, who))
        for number, (each, may) in enumerate(zip(commands, allowed, strict=True))
    ]
    _answer(done, source, where)


def give_up_command(record: OutboxTaskRecord, context: TaskContext, incident: str) -> None:
    """Say that something that was asked for is given up; ``incident`` is for our operator."""
    order = record.task.order
    where = open_command_context(record, int(order["pull"]), context)
    if where is not None and "answer" not in order and parse(order["body"], ANALYZER_NAMES):
        source = SourceComment(int(order["comment"]), bool(order["review_comment"]))
        reply(where, source, messages.UNDONE.format(incident))


def _forbidden(command: Command, who: Requester) -> str:
    narrowed = isinstance(command, Rerun) and who.author
    return messages.NARROWED if narrowed else messages.FORBIDDEN


def _answer(done: Sequence[CommandResult], source: SourceComment, where: CommandContext) -> None:
    """Reply once; an answer that waits for runs is completed when they are over."""
    answer = reply(where, source, _text([each.text for each in done]))
    if not any(each.run for each in done):
        return
    order = {
        "repository_id": where.where.id,
        "pull": where.pull.number,
        "comment": source.comment,
        "review_comment": source.review,
        "answer": answer,
        "key": where.key,
        "parts": [[each.text, each.run] for each in done],
    }
    ordering_key = pull_ordering_key(where.where.id, where.pull.number)
    follow_up = OutboxTask(
        OutboxTaskKind.COMMAND,
        where.where.installation,
        ordering_key,
        f"{where.key}:end",
        order=order,
    )
    with where.context.store.write() as unit:
        unit.outbox_tasks.add(follow_up, due=_soon(where.context))


def _complete(record: OutboxTaskRecord, context: TaskContext) -> None:
    """Put what became of the runs into an answer, once they are over."""
    order = record.task.order
    with context.store.read() as unit:
        runs = {name: unit.runs.get(name) for _, name in order["parts"] if name}
    if any(run is not None and not run.state.over for run in runs.values()):
        raise NotNowError(_soon(context), "a run is under way")
    where = open_command_context(record, int(order["pull"]), context)
    if where is None:
        return
    where = replace(where, key=order["key"])
    parts = [
        text if (run := runs.get(name or "")) is None else f"{text}\n\n{_outcome(run, where)}"
        for text, name in order["parts"]
    ]
    comment = order["comment"]
    edit(
        where, SourceComment(comment, bool(order["review_comment"])), order["answer"], _text(parts)
    )


def _outcome(run: RunRecord, where: CommandContext) -> str:
    context, place = where.context, where.where
    conclusion = None
    if run.check_run is not None and run.state is not RunState.CANCELLED:
        api = context.api(place.installation, place.id, **CHECK_PERMISSIONS)
        conclusion = check_run(api, place.full_name, run.check_run).conclusion
        if not conclusion and not _is_old(run, context):
            raise NotNowError(_soon(context), "a run is not published yet")
    return messages.reran(run, conclusion, context.links.run(run.id, run.job.private))


def _is_old(run: RunRecord, context: TaskContext) -> bool:
    return run.finished_at is None or context.now() - run.finished_at > PUBLISHED_WITHIN


def _soon(context: TaskContext) -> datetime:
    return context.now() + LOOK_AGAIN


def _text(parts: Sequence[str]) -> str:
    """All that is to be said, as far as whole parts fit: what is cut is no longer escaped."""
    text = ""
    for part in dict.fromkeys(parts):
        longer = f"{text}\n\n{part}" if text else part
        if size(longer) + size(messages.NO_ROOM) + 2 > MAX_REPLY_BYTES:
            return f"{text}\n\n{messages.NO_ROOM}".lstrip()
        text = longer
    return text


_BUTTON = SourceComment(None)
_log = logging.getLogger(__name__)


def press_button(record: OutboxTaskRecord, context: TaskContext) -> None:
    """Do what a button of a check run says; only what did not work is told in a comment."""
    order = record.task.order
    with context.store.read() as unit:
        run = unit.runs.by_check_run(int(order["check_run"]))
    button = _BUTTONS.get(order["identifier"])
    if run is None or button is None or run.job.repository_id != int(order["repository_id"]):
        _log.info("a button of no run of ours: %s", order["identifier"])
    elif run.job.pull is None:
        _press_without_pull(record, run, context)
    else:
        where = open_command_context(record, run.job.pull, context)
        problem = None if where is None else button(run, _sender(record), where)
        if where is not None and problem is not None:
            reply(where, _BUTTON, problem)


def check_again(record: OutboxTaskRecord, context: TaskContext) -> None:
    """Test a head again for each pull request that it is the head of, or for itself."""
    order = record.task.order
    repository, head = int(order["repository_id"]), str(order["head"])
    numbers = _numbers(repository, head, context)
    for number in numbers:
        where = open_command_context(record, number, context)
        if where is not None and where.pull.head == head:
            _rerun_for(replace(where, key=f"{where.key}:{number}"), _sender(record))
    if not numbers:
        _rerun_head(record, repository, head, context)


def give_up_button(record: OutboxTaskRecord, context: TaskContext, incident: str) -> None:
    """Say that a button does not work; ``incident`` is for our operator."""
    with context.store.read() as unit:
        run = unit.runs.by_check_run(int(record.task.order["check_run"]))
    number = None if run is None else run.job.pull
    where = None if number is None else open_command_context(record, number, context)
    if where is not None:
        reply(where, _BUTTON, messages.UNDONE.format(incident))


def _sender(record: OutboxTaskRecord) -> Person:
    order = record.task.order
    return Person(order["sender"], order.get("sender_id"))


def _may(command: Command, sender: Person, where: CommandContext) -> bool:
    name, author = where.where.full_name, where.pull.author
    return find_requester(where.api, name, sender, author, where.policy).may(command, where.policy)


def _four_times(run: RunRecord, sender: Person, where: CommandContext) -> str | None:
    options = _more_inputs(run, where.policy.inputs)
    if not _may(Rerun(options), sender, where):
        return messages.FORBIDDEN
    if not where.pull.open:
        return messages.CLOSED
    if where.pull.head != run.job.head:
        return messages.MOVED_ON
    rerun(options, f"{where.key}:0", sender.login, where)
    return None


def _accept(run: RunRecord, sender: Person, where: CommandContext) -> str | None:
    if not _may(IgnoreFinding("", ""), sender, where):
        return messages.FORBIDDEN
    accept_baseline(run, sender.login, where)
    return None


def _apply(run: RunRecord, sender: Person, where: CommandContext) -> str | None:
    if not _may(Apply(""), sender, where):
        return messages.FORBIDDEN
    context = where.context
    with context.store.read() as unit:
        document, ignores = unit.runs.report(run.id), unit.ignores.of(where.where.id)
    if document is None:
        return messages.NO_SUGGESTION
    today = with_current_ignores(document, ignores, context.now().date(), where.policy.gate)
    wanted = [finding for finding in today["findings"] if affects_verdict(finding)]
    try:
        apply_change(Change(wanted, run, sender.login), where)
    except NotAppliedError as error:
        return str(error)
    return None


_BUTTONS: Mapping[str, Callable[[RunRecord, Person, CommandContext], str | None]] = {
    "rerun_4x": _four_times,
    "baseline": _accept,
    "apply": _apply,
}


def _more_inputs(run: RunRecord, inputs: int) -> RunOptions:
    """The run's options with four times what the configuration, or it, asks for."""
    inputs = max(run.job.options.inputs or 0, inputs)
    return replace(run.job.options, inputs=min(4 * inputs, INPUTS[-1]))


def _press_without_pull(record: OutboxTaskRecord, run: RunRecord, context: TaskContext) -> None:
    """In a merge queue there is nobody to talk to, and only more inputs make sense."""
    order = record.task.order
    where = _repository(int(order["repository_id"]), context)
    if order["identifier"] == "rerun_4x" and where and _writes(_sender(record), where, context):
        with context.store.write() as unit:
            options = _more_inputs(run, unit.runs.policy(run.id).inputs)
            unit.runs.ask(replace(run.job, key=record.task.key, options=options))


def _numbers(repository: int, head: str, context: TaskContext) -> tuple[int, ...]:
    """The open pull requests with a head; GitHub knows those that we never heard of."""
    with context.store.read() as unit:
        known = unit.pulls.with_head(repository, head)
        runs = unit.runs.of_head(repository, head)
    numbers = tuple(pull.number for pull in known if pull.open)
    where = _repository(repository, context)
    if numbers or where is None or any(run.job.pull is None for run in runs):
        return numbers
    api = context.api(where.installation, where.id, **CHECK_PERMISSIONS)
    return tuple(pull.number for pull in pulls_with_head(api, where.full_name, head))


def _rerun_for(where: CommandContext, sender: Person) -> None:
    with where.context.store.read() as unit:
        runs = unit.runs.of_head(where.where.id, where.pull.head)
    if any(run.job.pull == where.pull.number and not run.state.over for run in runs):
        return
    if where.pull.open and _may(Rerun(), sender, where):
        rerun(RunOptions(), where.key, sender.login, where)


def _rerun_head(record: OutboxTaskRecord, repository: int, head: str, context: TaskContext) -> None:
    """Do again what was done for a commit without a pull request."""
    where = _repository(repository, context)
    with context.store.read() as unit:
        runs = unit.runs.of_head(repository, head)
    mine = [run for run in runs if run.job.pull is None]
    if where is None or not mine or any(not run.state.over for run in mine):
        return
    if _writes(_sender(record), where, context):
        with context.store.write() as unit:
            unit.runs.ask(replace(mine[0].job, key=record.task.key))


def _repository(repository: int, context: TaskContext) -> RepositoryRecord | None:
    with context.store.read() as unit:
        return unit.installations.repository(repository)


def _writes(sender: Person, where: RepositoryRecord, context: TaskContext) -> bool:
    api = context.api(where.installation, where.id, **CHECK_PERMISSIONS)
    return find_requester(api, where.full_name, sender, None, Policy()).writes
