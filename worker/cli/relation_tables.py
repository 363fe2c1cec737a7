"""Relation tables for a person, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten, wrap

import click

from analyzers.relations.relation_tables import InvalidTableError, RelationTable
from analyzers.relations.table_rows import LibraryFunction, ReviewedDivergence
from analyzers.vocabulary.library_relations import Equivalence
from worker.errors import MachineError, UsageError
from worker.report.markdown_escape import inert, json_inert
from worker.report.report_messages import counted
from worker.studies.divergence_reproducer import reproducer

SCHEMA = "assayer-relations/1"
CLOSEST = 5
MOST_NOTES = 10
LONGEST_NOTE = 200
MOST_NAMES = 12
WIDTH = 90
APART = {
    "uncovered": "without one",
    "random": "random",
    "uninitialised": "that show memory never written",
    "unsafe": "for files, devices or settings",
}
RULES = {"crash": "red", "value": "yellow", "status": "yellow"}
VERDICTS = {
    "bug": "judged a bug",
    "elsewhere": "judged a bug of what it is compared with",
    "numerics": "judged a matter of numerics",
    "documented": "judged documented",
    "false": "judged no divergence",
    "": "not judged yet",
}
VERDICT_ORDER = ("bug", "", *(each for each in VERDICTS if each not in ("bug", "")))


def as_json(document: Mapping[str, object]) -> str:
    """A document as text that a terminal does not obey."""
    return json_inert(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def document(table: RelationTable, apis: Sequence[str] | None = None) -> dict[str, object]:
    """The table, or its part about some APIs."""
    names = table.names if apis is None else apis
    known = table.known(names)
    parameters = {each.name: each.parameters for each in known}
    divergences = [
        divergence_row(each, parameters.get(each.divergence.api, ()))
        for each in table.judged(names)
    ]
    return {
        "schema": SCHEMA,
        "library": table.library,
        "version": table.version,
        "shipped": table.is_shipped,
        "about": table.about,
        "counts": table.counts() if apis is None else {},
        "apis": [asdict(each) for each in known],
        "relations": [_relation(each) for each in table.equivalences(names)],
        "divergences": divergences,
    }


def _relation(equivalence: Equivalence) -> dict[str, object]:
    row = asdict(equivalence)
    row["holds"] = row.pop("kind")
    return row


def divergence_row(judged: ReviewedDivergence, parameters: Sequence[str]) -> dict[str, object]:
    """A divergence, what was found of it, and three lines that show it."""
    found = judged.divergence
    lines = reproducer(found, parameters)
    return {**asdict(found), "judged": judged.verdict, "reproducer": list(lines)}


def summary(table: RelationTable) -> str:
    """Return what the table holds, in a few lines."""
    counts = table.counts()
    apis, relations, divergences = counts["apis"], counts["relations"], counts["divergences"]
    lines = [f"{table.library} {table.version}, {_origin(table)}"]
    if apis:
        covered, everything = apis.get("covered", 0), sum(apis.values())
        lines.append(f"  {covered:,} of {everything:,} APIs have valid calls{_apart(apis)}")
    lines.append(
        f"  {sum(relations.values()):,} relations: {relations.get('value', 0):,} give the same "
        f"value, {relations.get('status', 0):,} succeed and fail together"
    )
    said = ", ".join(f"{count} {name}" for name, count in sorted(divergences.items()))
    lines.append(f"  {counted(sum(divergences.values()), 'known divergence')}: {said or 'none'}")
    lines += _failing(table)
    library = "" if table.library == "torch" else f" --library {table.library}"
    lines.append(f"  one API: assayer relations show NAME{library}")
    return "\n".join(lines) + "\n"


def _apart(apis: Mapping[str, int]) -> str:
    said = [f"{apis[status]:,} {words}" for status, words in APART.items() if apis.get(status)]
    return f"; not compared: {', '.join(said)}" if said else ""


def _failing(table: RelationTable) -> Iterator[str]:
    """The APIs with calls that do not behave as they should, those that crash first."""
    found: dict[str, set[str]] = {}
    for each in table.divergences(table.names):
        found.setdefault(each.rule, set()).add(each.api)
    for rule in sorted(found, key=list(RULES).index):
        names = sorted(found[rule])
        text = f"  {rule}: {', '.join(names[:MOST_NAMES])}"
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        yield inert(text + more)


def of_api(table: RelationTable, name: str) -> str:
    """Return what the table says of one API."""
    known = table.known([name])
    relations = table.equivalences([name])
    parameters = {each.name: each.parameters for each in known}
    lines = [f"{name}  {table.library} {table.version}", *map(_known, known)]
    lines += [] if relations else ["", "no relation is known"]
    for kind, words in (("value", "the same value as"), ("status", "succeeds and fails with")):
        lines += _related(words, [each for each in relations if each.kind == kind])
    lines = [inert(each) for each in lines]
    divergences = sorted(table.judged([name]), key=lambda each: VERDICT_ORDER.index(each.verdict))
    for judged in divergences:
        lines += ["", *shown(judged, parameters.get(name, ()))]
    return "\n".join(lines) + "\n"


def _related(words: str, relations: Sequence[Equivalence]) -> Iterator[str]:
    if relations:
        yield from ("", f"{words}:")
    for each in sorted(relations, key=lambda each: -each.inputs):
        yield f"  {each.template}  ({counted(each.inputs, 'input')})"


def shown(judged: ReviewedDivergence, parameters: Sequence[str]) -> Iterator[str]:
    """A divergence for a person: what it is, and how to see it."""
    found = judged.divergence
    rule = click.style(f"{found.rule} divergence", fg=RULES[found.rule])
    said = VERDICTS[judged.verdict]
    yield f"{rule} of {inert(found.api)} by {inert(found.relation)} ({said})"
    yield from (f"  {line}" for line in wrap(inert(found.note), WIDTH))
    yield from (f"    {inert(line)}" for line in reproducer(found, parameters))


def resolved(table: RelationTable, name: str) -> str:
    """The API that is meant, without the library's name too; raises ``UsageError``."""
    names = table.names
    for full in (name, f"{table.library}.{name}"):
        if full in names:
            return full
    ending = [each for each in names if each.endswith(f".{name}")]
    if len(ending) == 1:
        return ending[0]
    closest = ending[:CLOSEST] or _closest(name, names)
    near = f"; do you mean {', '.join(closest)}?" if closest else ""
    raise UsageError(f"{table.library} {table.version} has no {name!r} that is known here{near}")


def _closest(name: str, names: Sequence[str]) -> list[str]:
    """Names like one: as a whole, or in their last part alone, which is what people remember."""
    whole = get_close_matches(name, names, CLOSEST)
    own = {each: each.rpartition(".")[2] for each in names}
    near = get_close_matches(name.rpartition(".")[2], set(own.values()), CLOSEST)
    parts = [each for word in near for each in names if own[each] == word]
    return list(dict.fromkeys([*whole, *parts]))[:CLOSEST]


def noted(notes: Sequence[str]) -> list[str]:
    """Notes of a study, each as a short line; of many the first."""
    lines = [f"note: {shorten(inert(note), LONGEST_NOTE)}" for note in notes[:MOST_NOTES]]
    more = len(notes) - MOST_NOTES
    return (
        [*lines, f"and {counted(more, 'more note')} (--format json has all)"] if more > 0 else lines
    )


def publish(text: str, output: Path | None) -> None:
    """Print what is told, or write it to a file; raises ``OSError``."""
    if output is None:
        click.echo(text, nl=False)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(click.unstyle(text), encoding="utf-8")


@contextmanager
def whole() -> Generator[None]:
    """Report tables that cannot be read."""
    try:
        yield
    except InvalidTableError as error:
        raise MachineError(
            f"A relation table cannot be read: {error}.",
            "Build it anew: assayer relations build --again.",
        ) from error


def _origin(table: RelationTable) -> str:
    made = table.about.get("platform", "")
    where = "shipped with Assayer" if table.is_shipped else "built here"
    return f"{where}{f' ({made})' if made else ''}"


def _known(known: LibraryFunction) -> str:
    calls = counted(known.calls, "valid call")
    return f"  ({', '.join(known.parameters)}): {known.status}, {calls}"
