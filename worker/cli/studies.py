"""``assayer relations build`` and ``fuzz``: an installed library, studied in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from analyzers.guest.relating.oracles import ORACLES
from analyzers.relations.table import table
from worker.cli.fuzzed import Fuzzed
from worker.cli.study_options import study_options
from worker.cli.studying import StudyProgress, study_progress
from worker.cli.tables import (
    SCHEMA,
    as_json,
    document,
    noted,
    publish,
    resolved,
    summary,
    whole,
)
from worker.errors import UsageError
from worker.laboratory.place import place_for
from worker.relations import (
    Built,
    Heard,
    Installed,
    Order,
    Site,
    build,
    fuzz,
    installed,
    kept,
    relation_rows,
    use_built,
)
from worker.report.wording import counted
from worker.settings.server import read_settings
from worker.sweeping import sweep


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


@dataclass(frozen=True, slots=True)
class _Asked:
    """What both studies are asked."""

    library: str
    python: Path | None
    inputs: int
    seconds: float
    seed: int
    workers: int
    settings_file: Path | None
    form: str
    output: Path | None
    quiet: bool

    def site(self) -> tuple[Installed, Site]:
        """What is studied, and where; raises ``UsageError`` and ``MachineError``."""
        settings = read_settings(self.settings_file)
        found = installed(self.library, self.python or settings.sandbox.python)
        sweep(settings)
        return found, Site(place_for(settings, trust=False).isolation, found.python)

    def limits(self) -> dict[str, Any]:
        """How much, how long, and from which seed."""
        return {
            "inputs": self.inputs,
            "seconds": self.seconds,
            "seed": self.seed,
            "workers": self.workers,
        }


@click.command(
    "build",
    epilog="The table is kept for this library, version and platform, and checks find it there. "
    "What was interrupted goes on where it was. Exit status: 0 done, 2 wrong usage, 3 our fault "
    "or the machine's.",
)
@study_options(100, "Inputs on which a pair is compared")
@click.option(
    "--api",
    "apis",
    multiple=True,
    metavar="NAME",
    help="Only this API (repeatable); such a table is not kept.",
)
@click.option("--again", is_flag=True, help="Begin anew, though it is there.")
@whole()
def build_command(apis: tuple[str, ...], again: bool, **options: Any) -> int:  # noqa: FBT001
    """Build the table of which calls of an installed library agree.

    Valid calls of every API are gathered, APIs that look alike are matched and
    their arguments assigned; pairs that give the same value on valid inputs,
    or that succeed and fail together, are kept.  The library runs in the
    sandbox alone.
    """
    asked = _Asked(**options)
    found, site = asked.site()
    order = Order(found.library, found.version, "relations", apis, **asked.limits())
    built = None if again else kept(order)
    if built is None:
        with study_progress(f"studying {found.library} {found.version}", quiet=asked.quiet) as told:
            built = _built(order, site, told, again=again)
    use_built()
    publish(_of_build(built, order, asked.form), asked.output)
    return 0


def _built(order: Order, site: Site, progress: StudyProgress, *, again: bool) -> Built:
    built = None
    for event in build(order, site, anew=again):
        if isinstance(event, Heard):
            progress.heard(event)
        else:
            built = event
    assert built is not None
    return built


def _of_build(built: Built, order: Order, form: str) -> str:
    """What was built: the table, or the rows of a part of one."""
    found = table(order.library, order.version) if built.shelf else None
    if form == "json":
        told = document(found) if found else _part(built)
        folder = str(built.shelf.folder) if built.shelf else None
        ended = {"complete": built.complete, "cached": built.cached, "folder": folder}
        return as_json({**told, **ended, "notes": list(built.notes)})
    lines = noted(built.notes)
    if found and built.shelf:
        was = "was built before (--again builds it anew)" if built.cached else "is built"
        return "\n".join([f"The table {was}: {built.shelf.folder}", summary(found), *lines])
    lines += [f"{row['source']}  {row['holds']}  {row['template']}" for row in built.relations]
    if not built.complete:
        lines.append("The time was over before: the same command goes on from there.")
    return "\n".join([*lines, f"{counted(len(built.relations), 'relation')}, not kept", ""])


def _part(built: Built) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "library": built.about["library"],
        "version": built.about["version"],
        "about": built.about,
        "apis": list(built.apis),
        "relations": list(built.relations),
        "divergences": [],
    }


@click.command(
    "fuzz",
    epilog="Exit status: 0 done, whatever was found, 2 wrong usage, 3 our fault or the machine's. "
    "Oracles and how divergences are judged: docs/relations.md.",
)
@click.argument("apis", nargs=-1, metavar="[API]...")
@study_options(1000, "Inputs of each API")
@click.option(
    "--oracles",
    callback=_names,
    metavar="ORACLE[,…]",
    help=f"Only these of {', '.join(ORACLES)} (default: the quick ones).",
)
@whole()
def fuzz_command(apis: tuple[str, ...], oracles: tuple[str, ...], **options: Any) -> int:
    """Look for calls of APIs (default: all) that do not behave as they should.

    Valid calls are mutated, extremes, NaN, empty and expanded tensors among
    them, and what comes of each is held against the relations of the table and
    against other oracles.  Each divergence is told as it is found, made small,
    with three lines that show it.
    """
    _check_oracles(oracles)
    asked = _Asked(**options)
    found, site = asked.site()
    use_built()
    known = table(found.library, found.version)
    chosen = apis if known is None else tuple(resolved(known, name) for name in apis)
    order = Order(
        found.library,
        found.version,
        "divergences",
        chosen,
        oracles=oracles,
        relations=relation_rows(known, chosen),
        **asked.limits(),
    )
    with study_progress(f"fuzzing {found.library} {found.version}", quiet=asked.quiet) as progress:
        if known is None:
            progress.note(f"no relation table: assayer relations build --library {found.library}")
        fuzzed = Fuzzed(known, progress, aloud=asked.form == "text" and asked.output is None)
        for event in fuzz(order, site):
            fuzzed.heard(event)
    publish(fuzzed.told(order, asked.form), asked.output)
    return 0


def _check_oracles(oracles: Sequence[str]) -> None:
    unknown = [name for name in oracles if name not in ORACLES]
    if unknown:
        raise UsageError(
            f"there is no oracle {unknown[0]!r}: there are {', '.join(ORACLES)}", key="--oracles"
        )
