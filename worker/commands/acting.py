"""What each command does.  Every one may be carried out again without doing more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from worker.changes.notebooks import NotANotebookError, notebook_code
from worker.commands import answers
from worker.commands.applying import Change, NotAppliedError, apply_change
from worker.commands.grammar import (
    Apply,
    Approve,
    Command,
    Explain,
    Help,
    Rerun,
    Silence,
    Stop,
    Unignore,
    Unknown,
)
from worker.commands.occasion import Occasion
from worker.composition.amending import amended
from worker.composition.carrying import is_partial
from worker.composition.suggestions import to_read
from worker.events.pulls import job_of
from worker.functions import has_function
from worker.github import contents
from worker.publishing.place import CONTENT_PERMISSIONS
from worker.report import escape
from worker.report.markdown import Addresses, finding_text
from worker.report.stored import read_stored
from worker.store.books import Books
from worker.store.lanes import pull_lane
from worker.store.records import (
    Errand,
    ErrandKind,
    Ignore,
    IgnoreKind,
    Job,
    Options,
    RunRecord,
)

MOST_PARTS = 5
"""Runs of parts of one pull request that may be under way at a time."""


LONGEST_EXPLANATION = 60_000
"""Bytes of what is said of one finding."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to say; ``run``: what to wait for before there is more to say."""

    text: str
    run: str | None = None


def act(command: Command, number: int, login: str, occasion: Occasion) -> Answer:
    """Carry out the command that is the ``number``-th of its comment.

    Raises ``GithubError``, ``MachineError`` and ``sqlalchemy.exc.SQLAlchemyError``.
    """
    match command:
        case Rerun(options):
            answer = _rerun(options, f"{occasion.key}:{number}", login, occasion)
        case Approve(commit):
            answer = _approve(commit, f"{occasion.key}:{number}", login, occasion)
        case Silence():
            answer = Answer(_silence(command, login, occasion))
        case Unignore(fingerprint):
            answer = Answer(_unignore(fingerprint, occasion))
        case Explain(fingerprint):
            answer = Answer(_explain(fingerprint, occasion))
        case Apply(fingerprint):
            answer = Answer(_apply(fingerprint, login, occasion))
        case Stop():
            answer = Answer(_stop(login, occasion))
        case Help():
            answer = Answer(answers.HELP)
        case Unknown():
            answer = Answer(answers.unknown(command))
    return answer


def _rerun(options: Options, key: str, login: str, occasion: Occasion) -> Answer:
    """Ask for a new run, of a function that is there."""
    if options.target is not None and occasion.pull.open and _is_nowhere(options.target, occasion):
        return Answer(answers.nowhere(options.target, occasion.pull.head))
    return rerun(options, key, login, occasion)


def _is_nowhere(target: str, occasion: Occasion) -> bool:
    """Say whether a target certainly names no function of the head.  Raises ``GithubError``."""
    path, _, function = target.partition("::")
    where = occasion.where
    api = occasion.desk.api(where.installation, where.id, **CONTENT_PERMISSIONS)
    return contents.lacks(
        api, where.full_name, path, occasion.pull.head, partial(_defines, path, function)
    )


def _defines(path: str, function: str, text: str) -> bool:
    if path.endswith(".py"):
        return has_function(text, function)
    try:
        return has_function(notebook_code(text), function)
    except NotANotebookError:
        return False


def rerun(options: Options, key: str, login: str, occasion: Occasion) -> Answer:
    """Ask for a new run on the head as it is now; what it repeats is cancelled."""
    pull, where = occasion.pull, occasion.where
    if not pull.open:
        return Answer(answers.CLOSED)
    plain = job_of(pull, where, f"asked for again by {login}")
    job = replace(plain, key=key, options=options)
    with occasion.desk.store.begin() as books:
        if _is_too_much(job, occasion, books):
            return Answer(answers.TOO_MANY)
        books.runs.ask(job, supersede=True)
        run = books.runs.get(books.runs.keyed(key) or "")
        if run is not None and not is_partial(options):
            _cancel_repeated(books, run, occasion)
    page = None if run is None else occasion.desk.links.run(run.id, run.job.private)
    return Answer(answers.rerunning(run, page), None if run is None else run.id)


def _is_too_much(job: Job, occasion: Occasion, books: Books) -> bool:
    """Whether so many runs of parts are under way that another one has to wait."""
    runs = books.runs.of_pull(occasion.where.id, occasion.pull.number)
    parts = [run for run in runs if not run.state.over and is_partial(run.job.options)]
    asked = any(run.job.key == job.key for run in runs)
    return not asked and is_partial(job.options) and len(parts) >= MOST_PARTS


def _cancel_repeated(books: Books, run: RunRecord, occasion: Occasion) -> None:
    """Cancel what runs on the same head from before this was asked for."""
    for other in books.runs.of_pull(occasion.where.id, occasion.pull.number):
        mine = (other.job.key or "").startswith(f"{occasion.key}:")
        if not other.state.over and other.id != run.id and not mine:
            books.runs.cancel(other.id, "superseded by a rerun that was asked for")


def _silence(command: Silence, login: str, occasion: Occasion) -> str:
    now = occasion.desk.now()
    if command.until is not None and command.until <= now.date():
        return answers.PAST.format(command.until.isoformat())
    found = occasion.found(command.fingerprint)
    if found is None:
        return answers.NOT_FOUND.format(escape.code(command.fingerprint))
    ignore = Ignore(
        repository=occasion.where.id,
        fingerprint=command.fingerprint,
        reason=command.reason,
        by=login,
        at=now,
        until=command.until,
        target=found[2]["target"],
    )
    with occasion.desk.store.begin() as books:
        books.ignores.add(ignore)
        publish_again(books, occasion)
    return answers.ignored(command.fingerprint, command.until)


def _unignore(fingerprint: str, occasion: Occasion) -> str:
    done = f"unignored:{occasion.key}:{fingerprint}"
    with occasion.desk.store.begin() as books:
        removed = books.ignores.remove(occasion.where.id, fingerprint)
        if removed:
            books.writings.done(done, fingerprint)
            publish_again(books, occasion)
        elif books.writings.get(done) is None:
            return answers.NOT_IGNORED.format(escape.code(fingerprint))
    return answers.counts_again(fingerprint)


def publish_again(books: Books, occasion: Occasion) -> None:
    """Have the newest run told of again; once for everything that is asked at once."""
    latest = books.runs.latest(occasion.where.id, occasion.pull.number)
    if latest is not None and latest.state.over:
        books.errands.add(
            Errand(
                ErrandKind.PUBLISH,
                occasion.where.installation,
                pull_lane(occasion.where.id, occasion.pull.number),
                f"publish:{latest.id}:{occasion.key}",
                run=latest.id,
            )
        )


def _explain(fingerprint: str, occasion: Occasion) -> str:
    found = occasion.found(fingerprint)
    if found is None:
        return answers.NOT_FOUND.format(escape.code(fingerprint))
    run, document, _ = found
    desk = occasion.desk
    with desk.store.look() as books:
        ignores = books.ignores.of(occasion.where.id)
    today = desk.now().date()
    report = read_stored(amended(document, ignores, today, occasion.policy.gate))
    finding = next(each for each in report.findings if each.fingerprint == fingerprint)
    private = run.job.private or occasion.where.private
    addresses = Addresses(
        desk.links.run(run.id, private), lambda name: desk.links.file(run.id, name, private)
    )
    page = f"\n\n[The whole report]({addresses.page})" if addresses.page else ""
    told = finding_text(finding, report, addresses, to_read(finding), LONGEST_EXPLANATION)
    return _as_of(run, occasion) + told + page


def _as_of(run: RunRecord, occasion: Occasion) -> str:
    """Say so where a finding was told of a commit that is the head no more."""
    head = run.job.head or ""
    if head == occasion.pull.head:
        return ""
    return f"This was found at {escape.code(head[:7])}, which is the head no more.\n\n"


def _apply(fingerprint: str, login: str, occasion: Occasion) -> str:
    found = occasion.found(fingerprint)
    if found is None:
        return answers.NOT_FOUND.format(escape.code(fingerprint))
    change = Change([found[2]], found[0], login)
    try:
        return answers.applied(apply_change(change, occasion), 1)
    except NotAppliedError as error:
        return str(error)


def _approve(commit: str, key: str, login: str, occasion: Occasion) -> Answer:
    """Approve the head that was there when this was asked for, and no other.

    Only whole names count: others are easily given to another commit.
    """
    pull, where = occasion.pull, occasion.where
    if pull.head != (commit or occasion.head):
        return Answer(answers.OTHER_HEAD.format(escape.code(pull.head), pull.head))
    if not pull.fork:
        return Answer(answers.NOT_A_FORK)
    with occasion.desk.store.begin() as books:
        books.approvals.give(where.full_name, pull.head, login)
    again = rerun(Options(), key, login, occasion)
    said = answers.APPROVED.format(escape.code(pull.head))
    return Answer(said, again.run) if again.run else Answer(f"{said}\n\n{again.text}")


def _stop(login: str, occasion: Occasion) -> str:
    """Cancel what runs; a second try finds those that the first one ended."""
    reason = f"stopped by {login}"
    said = f"{reason} ({occasion.key.rpartition(':')[2]})"
    with occasion.desk.store.begin() as books:
        runs = books.runs.of_pull(occasion.where.id, occasion.pull.number)
        _cancel(books, (run for run in runs if not run.state.over), said)
        after = books.runs.of_pull(occasion.where.id, occasion.pull.number)
    number = sum(run.error == said for run in after)
    return answers.stopped(number) if number else answers.NOTHING_RUNS


def _cancel(books: Books, runs: Iterable[RunRecord], reason: str) -> None:
    for run in runs:
        books.runs.cancel(run.id, reason)


def accept(run: RunRecord, login: str, occasion: Occasion) -> int:
    """Count each new finding of a run as one that was there before; returns how many."""
    now = occasion.desk.now()
    with occasion.desk.store.begin() as books:
        document = books.runs.report(run.id)
        if document is None:
            return 0
        today = amended(document, books.ignores.of(occasion.where.id), now.date())
        new = [f for f in today["findings"] if f["status"] == "new" and not f.get("ignored")]
        for finding in new:
            books.ignores.add(
                Ignore(
                    repository=occasion.where.id,
                    fingerprint=finding["fingerprint"],
                    reason="accepted as baseline",
                    by=login,
                    at=now,
                    kind=IgnoreKind.BASELINE,
                    target=finding["target"],
                )
            )
        publish_again(books, occasion)
    return len(new)
