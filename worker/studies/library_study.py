"""One study: guests that go on, one after another, where the one before ended."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzers.relations.relation_tables import RelationTable
from analyzers.relations.table_folders import APIS, RELATIONS
from analyzers.relations.table_rows import COMPARED, divergence
from analyzers.vocabulary import JsonObject
from analyzers.vocabulary.library_relations import Divergence, Equivalence
from worker.errors import MachineError
from worker.report.markdown_escape import inert
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import GIB, Limits
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.protocol.channel import LIMIT, Channel, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.studies.study_journal import FORMAT, StudyJournal, TableCache, platform_name
from worker.studies.study_protocol import Event, StudyRequest, StudyResult, StudyUpdate, read_update
from worker.system.interruption import raise_pending
from worker.system.temporary_files import owned_folder

MOST_DEATHS = 20
MOST_FRUITLESS = 2
"""How many guests may die in one study, and how many in a row without having got anywhere."""
GRACE = 60.0
"""Seconds after its time is over in which a guest must come to its end."""
SILENCE = 300.0
TAIL = 500
MOST_BYTES = 128 << 20
"""How much of one study is kept: a table of torch is a hundredth of it."""
LIMITS = Limits(memory=8 * GIB, address_space=64 * GIB)
"""A deep-learning library and its workers; the guest bounds each worker's memory itself."""


class _Ended(Exception):  # noqa: N818 - a noun of the outside
    """A guest is gone before its study was over."""


@dataclass(frozen=True, slots=True)
class StudySandbox:
    """The conditions under which guests study: the isolation, the interpreter, the limits."""

    isolation: Isolation
    python: Path
    limits: Limits = LIMITS
    program: GuestProgram | None = None
    silence: float = SILENCE


def study(order: StudyRequest, site: StudySandbox, journal: StudyJournal) -> Iterator[Event]:
    """Yield a study's updates, kept in the journal first; ``StudyResult`` is the last.

    A guest that dies is followed by another.  Raises ``MachineError`` where that leads nowhere.
    """
    deadline = time.monotonic() + order.seconds
    fruitless, reason = 0, ""
    for _ in range(MOST_DEATHS):
        before = journal.checked
        try:
            yield from _once(order, site, journal, deadline)
        except _Ended as ended:
            reason = str(ended)
        else:
            return
        fruitless = 0 if journal.checked > before else fruitless + 1
        if time.monotonic() > deadline:
            yield StudyResult(order.version, complete=False)
            return
        if fruitless >= MOST_FRUITLESS:
            raise _failed(order, reason)
    raise _failed(order, f"{MOST_DEATHS} guests died, the last: {reason}")


def _once(
    order: StudyRequest, site: StudySandbox, journal: StudyJournal, deadline: float
) -> Iterator[Event]:
    left = max(1.0, deadline - time.monotonic())
    seconds = left + GRACE
    limits = replace(site.limits, wall_seconds=seconds, cpu_seconds=int(seconds * 4))
    with owned_folder("study") as folder:
        tree = folder / "tree"
        tree.mkdir()
        with GuestProcess.start(
            site.isolation, tree=tree, python=site.python, limits=limits, program=site.program
        ) as guest:
            try:
                guest.channel.send(order.frame(left, journal.done))
                yield from _replies(guest.channel, order, site, journal, deadline + GRACE)
            except (ChannelClosed, ChannelTimeout) as error:
                raise _Ended(_reason(guest, error)) from error
            except BadFrame as error:
                raise _failed(order, f"the guest broke the protocol: {error}") from error


def _replies(
    channel: Channel,
    order: StudyRequest,
    site: StudySandbox,
    journal: StudyJournal,
    deadline: float,
) -> Iterator[Event]:
    while True:
        raise_pending()
        left = max(0.1, deadline - time.monotonic())
        event = read_update(decoded(channel.frame(min(left, site.silence), LIMIT)), order)
        if isinstance(event, StudyUpdate):
            journal.add(event.rows)
            if journal.size > MOST_BYTES:
                raise BadFrame(f"more rows than fit into {MOST_BYTES >> 20} MiB")
        yield event
        if isinstance(event, StudyResult):
            return


def _reason(guest: GuestProcess, error: Exception) -> str:
    if isinstance(error, ChannelClosed):
        guest.wait(GRACE / 10)
    lines = guest.stderr_tail().strip().splitlines()
    said = lines[-1][-TAIL:] if lines else str(error)
    return guest.stopped or inert(said)


def _failed(order: StudyRequest, reason: str) -> MachineError:
    return MachineError(
        f"{order.library} {order.version} cannot be studied: {reason}",
        "What was found is kept: the same command goes on from there.",
    )


_API = ("name", "parameters", "calls", "status")
_RELATION = ("source", "target", "template", "holds", "inputs")


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """A complete table at ``shelf``, or the rows of a study of some APIs (``None``)."""

    about: JsonObject
    apis: tuple[JsonObject, ...] = ()
    relations: tuple[JsonObject, ...] = ()
    shelf: TableCache | None = None
    cached: bool = False
    complete: bool = True
    notes: tuple[str, ...] = ()


def cached_table(order: StudyRequest) -> BuiltTable | None:
    """The table as it was built before, if it was compared on as many inputs."""
    shelf = TableCache(order.library, order.version)
    about = shelf.about()
    inputs = about.get("inputs")
    if order.apis or not isinstance(inputs, int) or inputs < order.inputs:
        return None
    return BuiltTable(about, shelf=shelf, cached=True)


def build(
    order: StudyRequest, site: StudySandbox, *, anew: bool = False
) -> Iterator[StudyUpdate | BuiltTable]:
    """Yield a build's progress, then the table; raise ``MachineError``.

    An interrupted build of the same order goes on, unless it is to begin ``anew``.
    """
    shelf = TableCache(order.library, order.version)
    began = time.monotonic()
    with StudyJournal(shelf.journal(order.task, order.digest), order.digest) as journal:
        if anew:
            journal.begin_anew()
        studied = StudyResult(order.version, complete=False)
        for event in study(order, site, journal):
            if isinstance(event, StudyUpdate):
                yield event
            else:
                studied = event
        apis = _sorted(journal.of("api"), _API, ("name",))
        relations = _sorted(_sound(journal, apis), _RELATION, ("source", "target", "template"))
        about = _about(order, apis, relations) | {"seconds": round(time.monotonic() - began, 1)}
        whole = studied.complete and not order.apis
        if whole:
            shelf.put({APIS: apis, RELATIONS: relations}, about)
        if studied.complete:
            journal.forget()
        yield BuiltTable(
            about,
            apis,
            relations,
            shelf=shelf if whole else None,
            complete=studied.complete,
            notes=studied.notes,
        )


def _sound(journal: StudyJournal, apis: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """The relations of what, in the end, was not found to be random, unwritten or unsafe."""
    unsound = {str(row["name"]) for row in apis if row["status"] not in COMPARED}
    for row in journal.of("relation"):
        if not {str(row["source"]), str(row["target"])} & unsound:
            yield row


def _about(
    order: StudyRequest, apis: Sequence[JsonObject], relations: Sequence[JsonObject]
) -> dict[str, str | int | float]:
    return {
        "library": order.library,
        "version": order.version,
        "platform": platform_name(),
        "format": FORMAT,
        "inputs": order.inputs,
        "seed": order.seed,
        "apis": len(apis),
        "covered": sum(row["status"] == "covered" for row in apis),
        "value": sum(row["holds"] == "value" for row in relations),
        "status": sum(row["holds"] == "status" for row in relations),
    }


def _sorted(
    rows: Iterable[JsonObject], fields: Sequence[str], key: Sequence[str]
) -> tuple[JsonObject, ...]:
    """Rows with their fields in order, sorted by ``key``; of equal ones the last."""
    found = {
        tuple(str(row[name]) for name in key): {name: row[name] for name in fields} for row in rows
    }
    return tuple(found[each] for each in sorted(found))


def relation_rows(
    table: RelationTable | None, apis: tuple[str, ...]
) -> tuple[dict[str, str | int], ...]:
    """The relations of some APIs, or of all, as a study takes them."""
    if table is None:
        return ()
    return tuple(map(_row, table.equivalences(apis or table.names)))


def fuzz(
    order: StudyRequest, site: StudySandbox
) -> Iterator[StudyUpdate | Divergence | StudyResult]:
    """Yield progress, each divergence once (earlier ones first), and the end."""
    shelf = TableCache(order.library, order.version)
    with StudyJournal(shelf.journal(order.task, order.digest), order.digest) as journal:
        told: set[tuple[str, str, str, str]] = set()
        yield from _new(journal.of("divergence"), order, told)
        for event in study(order, site, journal):
            yield event
            if isinstance(event, StudyUpdate):
                yield from _new(journal.of("divergence"), order, told)
        journal.forget()


def parameters_of(heard: StudyUpdate) -> dict[str, tuple[str, ...]]:
    """The parameters of APIs that were just told, by API."""
    rows = [row for row in heard.rows if row["kind"] == "api"]
    return {str(row["name"]): tuple(map(str, _items(row["parameters"]))) for row in rows}


def _row(relation: Equivalence) -> dict[str, str | int]:
    return {
        "source": relation.source,
        "target": relation.target,
        "template": relation.template,
        "holds": relation.kind,
        "inputs": relation.inputs,
    }


def _new(
    rows: Iterable[JsonObject], order: StudyRequest, told: set[tuple[str, str, str, str]]
) -> Iterator[Divergence]:
    """The divergences that were not told yet: one for an API, an oracle and a rule."""
    for row in rows:
        found = divergence(row, order.library)
        identity = (found.api, found.relation, found.related, found.rule)
        if identity not in told:
            told.add(identity)
            yield found


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
