"""A relation table, built by a study of the installed library, or as it was built before."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzers.relations.rows import COMPARED
from analyzers.relations.shelves import APIS, RELATIONS
from analyzers.vocabulary import JsonObject
from worker.relations.journal import FORMAT, Journal
from worker.relations.nouns import Heard, Order, Studied
from worker.relations.shelf import Shelf, platform_name
from worker.relations.studying import Site, study

_API = ("name", "parameters", "calls", "status")
_RELATION = ("source", "target", "template", "holds", "inputs")


@dataclass(frozen=True, slots=True)
class Built:
    """A table that is there now, or the rows of a study of some APIs alone.

    ``about`` says how it was made.  ``shelf`` is where it lies, ``None`` where
    it was kept nowhere: it is of some APIs alone, or not complete.
    """

    about: JsonObject
    apis: tuple[JsonObject, ...] = ()
    relations: tuple[JsonObject, ...] = ()
    shelf: Shelf | None = None
    cached: bool = False
    complete: bool = True
    notes: tuple[str, ...] = ()


def kept(order: Order) -> Built | None:
    """The table as it was built before, if it was compared on as many inputs."""
    shelf = Shelf(order.library, order.version)
    about = shelf.about()
    inputs = about.get("inputs")
    if order.apis or not isinstance(inputs, int) or inputs < order.inputs:
        return None
    return Built(about, shelf=shelf, cached=True)


def build(order: Order, site: Site, *, anew: bool = False) -> Iterator[Heard | Built]:
    """How far the study is, and the table in the end; raises ``MachineError``.

    Where the time is over before, or the process ends, the next build of the
    same order goes on, unless it is to begin ``anew``.
    """
    shelf = Shelf(order.library, order.version)
    began = time.monotonic()
    with Journal(shelf.journal(order.task, order.digest), order.digest) as journal:
        if anew:
            journal.begin_anew()
        studied = Studied(order.version, complete=False)
        for event in study(order, site, journal):
            if isinstance(event, Heard):
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
        yield Built(
            about,
            apis,
            relations,
            shelf=shelf if whole else None,
            complete=studied.complete,
            notes=studied.notes,
        )


def _sound(journal: Journal, apis: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """The relations of what, in the end, was not found to be random, unwritten or unsafe."""
    unsound = {str(row["name"]) for row in apis if row["status"] not in COMPARED}
    for row in journal.of("relation"):
        if not {str(row["source"]), str(row["target"])} & unsound:
            yield row


def _about(
    order: Order, apis: Sequence[JsonObject], relations: Sequence[JsonObject]
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
