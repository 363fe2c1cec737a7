"""BUTTON and RERUN errands: what people ask for at a check run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from worker.commands import answers
from worker.commands.acting import accept, rerun
from worker.commands.applying import Change, NotAppliedError, apply_change
from worker.commands.grammar import INPUTS, Apply, Command, Rerun, Silence
from worker.commands.occasion import Occasion, occasion
from worker.commands.permission import Person, asker
from worker.commands.replying import Asked, reply
from worker.composition.amending import amended, counts
from worker.github import pulls
from worker.publishing.desk import Desk
from worker.publishing.place import CHECK_PERMISSIONS
from worker.store.records import ErrandRecord, Options, Policy, Repository, RunRecord

_BUTTON = Asked(None)
_log = logging.getLogger(__name__)


def press(record: ErrandRecord, desk: Desk) -> None:
    """Do what a button of a check run says; only what did not work is told in a comment."""
    order = record.errand.order
    with desk.store.look() as books:
        run = books.runs.by_check_run(int(order["check_run"]))
    button = _BUTTONS.get(order["identifier"])
    if run is None or button is None or run.job.repository_id != int(order["repository_id"]):
        _log.info("a button of no run of ours: %s", order["identifier"])
    elif run.job.pull is None:
        _press_without_pull(record, run, desk)
    else:
        where = occasion(record, run.job.pull, desk)
        problem = None if where is None else button(run, _sender(record), where)
        if where is not None and problem is not None:
            reply(where, _BUTTON, problem)


def check_again(record: ErrandRecord, desk: Desk) -> None:
    """Test a head again for each pull request that it is the head of, or for itself."""
    order = record.errand.order
    repository, head = int(order["repository_id"]), str(order["head"])
    numbers = _numbers(repository, head, desk)
    for number in numbers:
        where = occasion(record, number, desk)
        if where is not None and where.pull.head == head:
            _rerun_for(replace(where, key=f"{where.key}:{number}"), _sender(record))
    if not numbers:
        _rerun_head(record, repository, head, desk)


def apologise(record: ErrandRecord, desk: Desk, incident: str) -> None:
    """Say that a button does not work; ``incident`` is for our operator."""
    with desk.store.look() as books:
        run = books.runs.by_check_run(int(record.errand.order["check_run"]))
    number = None if run is None else run.job.pull
    where = None if number is None else occasion(record, number, desk)
    if where is not None:
        reply(where, _BUTTON, answers.UNDONE.format(incident))


def _sender(record: ErrandRecord) -> Person:
    order = record.errand.order
    return Person(order["sender"], order.get("sender_id"))


def _may(command: Command, sender: Person, where: Occasion) -> bool:
    name, author = where.where.full_name, where.pull.author
    return asker(where.api, name, sender, author, where.policy).may(command, where.policy)


def _four_times(run: RunRecord, sender: Person, where: Occasion) -> str | None:
    options = _more_inputs(run, where.policy.inputs)
    if not _may(Rerun(options), sender, where):
        return answers.FORBIDDEN
    if not where.pull.open:
        return answers.CLOSED
    if where.pull.head != run.job.head:
        return answers.MOVED_ON
    rerun(options, f"{where.key}:0", sender.login, where)
    return None


def _accept(run: RunRecord, sender: Person, where: Occasion) -> str | None:
    if not _may(Silence("", ""), sender, where):
        return answers.FORBIDDEN
    accept(run, sender.login, where)
    return None


def _apply(run: RunRecord, sender: Person, where: Occasion) -> str | None:
    if not _may(Apply(""), sender, where):
        return answers.FORBIDDEN
    desk = where.desk
    with desk.store.look() as books:
        document, ignores = books.runs.report(run.id), books.ignores.of(where.where.id)
    if document is None:
        return answers.NO_SUGGESTION
    today = amended(document, ignores, desk.now().date(), where.policy.gate)
    wanted = [finding for finding in today["findings"] if counts(finding)]
    try:
        apply_change(Change(wanted, run, sender.login), where)
    except NotAppliedError as error:
        return str(error)
    return None


_BUTTONS: Mapping[str, Callable[[RunRecord, Person, Occasion], str | None]] = {
    "rerun_4x": _four_times,
    "baseline": _accept,
    "apply": _apply,
}


def _more_inputs(run: RunRecord, inputs: int) -> Options:
    """The run's options with four times what the configuration, or it, asks for."""
    inputs = max(run.job.options.inputs or 0, inputs)
    return replace(run.job.options, inputs=min(4 * inputs, INPUTS[-1]))


def _press_without_pull(record: ErrandRecord, run: RunRecord, desk: Desk) -> None:
    """In a merge queue there is nobody to talk to, and only more inputs make sense."""
    order = record.errand.order
    where = _repository(int(order["repository_id"]), desk)
    if order["identifier"] == "rerun_4x" and where and _writes(_sender(record), where, desk):
        with desk.store.begin() as books:
            options = _more_inputs(run, books.runs.policy(run.id).inputs)
            books.runs.ask(replace(run.job, key=record.errand.key, options=options))


def _numbers(repository: int, head: str, desk: Desk) -> tuple[int, ...]:
    """The open pull requests with a head; GitHub knows those that we never heard of."""
    with desk.store.look() as books:
        known = books.pulls.with_head(repository, head)
        runs = books.runs.of_head(repository, head)
    numbers = tuple(pull.number for pull in known if pull.open)
    where = _repository(repository, desk)
    if numbers or where is None or any(run.job.pull is None for run in runs):
        return numbers
    api = desk.api(where.installation, where.id, **CHECK_PERMISSIONS)
    return tuple(pull.number for pull in pulls.with_head(api, where.full_name, head))


def _rerun_for(where: Occasion, sender: Person) -> None:
    """What runs already is what was asked for."""
    with where.desk.store.look() as books:
        runs = books.runs.of_head(where.where.id, where.pull.head)
    if any(run.job.pull == where.pull.number and not run.state.over for run in runs):
        return
    if where.pull.open and _may(Rerun(), sender, where):
        rerun(Options(), where.key, sender.login, where)


def _rerun_head(record: ErrandRecord, repository: int, head: str, desk: Desk) -> None:
    """Do again what was done for a commit without a pull request."""
    where = _repository(repository, desk)
    with desk.store.look() as books:
        runs = books.runs.of_head(repository, head)
    mine = [run for run in runs if run.job.pull is None]
    if where is None or not mine or any(not run.state.over for run in mine):
        return
    if _writes(_sender(record), where, desk):
        with desk.store.begin() as books:
            books.runs.ask(replace(mine[0].job, key=record.errand.key))


def _repository(repository: int, desk: Desk) -> Repository | None:
    with desk.store.look() as books:
        return books.installations.repository(repository)


def _writes(sender: Person, where: Repository, desk: Desk) -> bool:
    api = desk.api(where.installation, where.id, **CHECK_PERMISSIONS)
    return asker(api, where.full_name, sender, None, Policy()).writes
