"""Where an installed library disagrees with itself: divergences, as they are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzers.relations.rows import divergence
from analyzers.relations.table import Table
from analyzers.vocabulary import JsonObject
from analyzers.vocabulary.relations import Divergence, Equivalence
from worker.relations.journal import Journal
from worker.relations.nouns import Heard, Order, Studied
from worker.relations.shelf import Shelf
from worker.relations.studying import Site, study


def relation_rows(table: Table | None, apis: tuple[str, ...]) -> tuple[dict[str, str | int], ...]:
    """The relations of some APIs, or of all, as a study takes them."""
    if table is None:
        return ()
    return tuple(map(_row, table.equivalences(apis or table.names)))


def fuzz(order: Order, site: Site) -> Iterator[Heard | Divergence | Studied]:
    """How far the study is, each divergence once, and the end; raises ``MachineError``.

    Where the process ended before, what it had found comes first.
    """
    shelf = Shelf(order.library, order.version)
    with Journal(shelf.journal(order.task, order.digest), order.digest) as journal:
        told: set[tuple[str, str, str, str]] = set()
        yield from _new(journal.of("divergence"), order, told)
        for event in study(order, site, journal):
            yield event
            if isinstance(event, Heard):
                yield from _new(journal.of("divergence"), order, told)
        journal.forget()


def parameters_of(heard: Heard) -> dict[str, tuple[str, ...]]:
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
    rows: Iterable[JsonObject], order: Order, told: set[tuple[str, str, str, str]]
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
