"""COMMAND errands: what a comment asks for is done, and answered in one reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from analyzers.pipeline import ANALYZERS
from worker.commands import answers
from worker.commands.acting import Answer, act
from worker.commands.grammar import Command, Rerun, Unknown, parse
from worker.commands.occasion import Occasion, occasion
from worker.commands.permission import Asker, Person, asker
from worker.commands.replying import LARGEST, Asked, acknowledge, edit, reply
from worker.github import checks
from worker.publishing.desk import Desk, NotNowError
from worker.publishing.place import CHECK_PERMISSIONS
from worker.report.markdown import size
from worker.store.lanes import pull_lane
from worker.store.records import Errand, ErrandKind, ErrandRecord, RunRecord, RunState

LOOK_AGAIN = timedelta(seconds=10)
"""How often an answer that waits for a run looks whether it is over."""
PUBLISHED_WITHIN = timedelta(minutes=15)
"""After this, an answer does not wait for what a run's check run says."""

KNOWN = frozenset(analyzer.name for analyzer in ANALYZERS)


def command(record: ErrandRecord, desk: Desk) -> None:
    """Carry out the commands of a comment; one reply answers them all."""
    order = record.errand.order
    if "answer" in order:
        _complete(record, desk)
        return
    commands = parse(order["body"], KNOWN)
    where = occasion(record, int(order["pull"]), desk) if commands else None
    if where is None:
        return
    asked = Asked(int(order["comment"]), bool(order["review_comment"]))
    author = Person(order["author"], order.get("author_id"))
    who = asker(where.api, where.where.full_name, author, where.pull.author, where.policy)
    allowed = [who.may(each, where.policy) for each in commands]
    carried_out = any(
        may and not isinstance(each, Unknown) for may, each in zip(allowed, commands, strict=True)
    )
    if carried_out and not acknowledge(where, asked):
        return
    done = [
        act(each, number, who.login, where) if may else Answer(_forbidden(each, who))
        for number, (each, may) in enumerate(zip(commands, allowed, strict=True))
    ]
    _answer(done, asked, where)


def apologise(record: ErrandRecord, desk: Desk, incident: str) -> None:
    """Say that something that was asked for is given up; ``incident`` is for our operator."""
    order = record.errand.order
    where = occasion(record, int(order["pull"]), desk)
    if where is not None and "answer" not in order and parse(order["body"], KNOWN):
        asked = Asked(int(order["comment"]), bool(order["review_comment"]))
        reply(where, asked, answers.UNDONE.format(incident))


def _forbidden(command: Command, who: Asker) -> str:
    narrowed = isinstance(command, Rerun) and who.author
    return answers.NARROWED if narrowed else answers.FORBIDDEN


def _answer(done: Sequence[Answer], asked: Asked, where: Occasion) -> None:
    """Reply once; an answer that waits for runs is completed when they are over."""
    answer = reply(where, asked, _text([each.text for each in done]))
    if not any(each.run for each in done):
        return
    order = {
        "repository_id": where.where.id,
        "pull": where.pull.number,
        "comment": asked.comment,
        "review_comment": asked.review,
        "answer": answer,
        "key": where.key,
        "parts": [[each.text, each.run] for each in done],
    }
    lane = pull_lane(where.where.id, where.pull.number)
    follow_up = Errand(
        ErrandKind.COMMAND, where.where.installation, lane, f"{where.key}:end", order=order
    )
    with where.desk.store.begin() as books:
        books.errands.add(follow_up, due=_soon(where.desk))


def _complete(record: ErrandRecord, desk: Desk) -> None:
    """Put what became of the runs into an answer, once they are over."""
    order = record.errand.order
    with desk.store.look() as books:
        runs = {name: books.runs.get(name) for _, name in order["parts"] if name}
    if any(run is not None and not run.state.over for run in runs.values()):
        raise NotNowError(_soon(desk), "a run is under way")
    where = occasion(record, int(order["pull"]), desk)
    if where is None:
        return
    where = replace(where, key=order["key"])
    parts = [
        text if (run := runs.get(name or "")) is None else f"{text}\n\n{_outcome(run, where)}"
        for text, name in order["parts"]
    ]
    comment = order["comment"]
    edit(where, Asked(comment, bool(order["review_comment"])), order["answer"], _text(parts))


def _outcome(run: RunRecord, where: Occasion) -> str:
    """What its check run says, once it is published."""
    desk, place = where.desk, where.where
    conclusion = None
    if run.check_run is not None and run.state is not RunState.CANCELLED:
        api = desk.api(place.installation, place.id, **CHECK_PERMISSIONS)
        check = checks.get(api, place.full_name, run.check_run)
        conclusion = check.conclusion
        if conclusion is None and not _is_old(run, desk):
            raise NotNowError(_soon(desk), "a run is not published yet")
    return answers.reran(run, conclusion, desk.links.run(run.id, run.job.private))


def _is_old(run: RunRecord, desk: Desk) -> bool:
    return run.finished_at is None or desk.now() - run.finished_at > PUBLISHED_WITHIN


def _soon(desk: Desk) -> datetime:
    return desk.now() + LOOK_AGAIN


def _text(parts: Sequence[str]) -> str:
    """All that is to be said, as far as whole parts fit: what is cut is no longer escaped."""
    text = ""
    for part in dict.fromkeys(parts):
        longer = f"{text}\n\n{part}" if text else part
        if size(longer) + size(answers.NO_ROOM) + 2 > LARGEST:
            return f"{text}\n\n{answers.NO_ROOM}".lstrip()
        text = longer
    return text
