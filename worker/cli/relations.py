"""``assayer relations``: which calls of a library agree, and where they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from analyzers.guest.relations.oracles.oracle_registry import ORACLES
from analyzers.relations.relation_tables import RelationTable, table, tables
from worker.check.leftovers import remove_leftovers
from worker.cli.progress import DivergenceProgress, StudyProgress, study_progress
from worker.cli.relation_tables import (
    SCHEMA,
    as_json,
    document,
    noted,
    of_api,
    publish,
    resolved,
    summary,
    whole,
)
from worker.errors import UsageError
from worker.executor.execution_context import guest_runtime
from worker.report.report_messages import counted
from worker.settings.operator_settings import read_settings
from worker.studies.installed_library import LIBRARIES, InstalledLibrary, installed_library
from worker.studies.library_study import (
    BuiltTable,
    StudySandbox,
    build,
    cached_table,
    fuzz,
    relation_rows,
)
from worker.studies.study_journal import use_built_tables
from worker.studies.study_protocol import StudyRequest, StudyUpdate

_Command = Callable[..., Any]
_PATH = click.Path(path_type=Path)


def study_options(inputs: int, compared: str) -> Callable[[_Command], _Command]:
    """The options of both studies; ``inputs`` by default are ``compared``."""
    options = (
        click.option(
            *("--library", "library"),
            default="torch",
            metavar="|".join(LIBRARIES),
            help="What is studied (default: torch).",
        ),
        click.option(
            *("--python", "python"),
            type=_PATH,
            metavar="PATH",
            help="An interpreter or a virtual environment that has it (default: ours).",
        ),
        click.option(
            *("--inputs", "inputs"),
            type=click.IntRange(1, 1_000_000),
            default=inputs,
            show_default=True,
            metavar="N",
            help=f"{compared}, at most.",
        ),
        click.option(
            *("--seconds", "seconds"),
            type=click.FloatRange(1),
            default=900.0,
            show_default=True,
            metavar="S",
            help="Time for all of it.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, metavar="N"),
        click.option(
            *("--workers", "workers"),
            type=click.IntRange(1, 64),
            default=2,
            show_default=True,
            metavar="N",
            help="Processes at a time.",
        ),
        click.option("--settings", "settings_file", type=_PATH, metavar="FILE"),
        click.option(
            *("--format", "form"),
            type=click.Choice(("text", "json")),
            default="text",
            show_default=True,
        ),
        click.option("--output", type=_PATH, metavar="FILE", help="Write what is printed to FILE."),
        click.option("--quiet", is_flag=True, help="No progress."),
    )

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


@dataclass(frozen=True, slots=True)
class _StudyOptions:
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

    def site(self) -> tuple[InstalledLibrary, StudySandbox]:
        """Return what is studied, and where; raises ``UsageError`` and ``MachineError``."""
        settings = read_settings(self.settings_file)
        found = installed_library(self.library, self.python or settings.sandbox.python)
        remove_leftovers(settings)
        return found, StudySandbox(guest_runtime(settings, trust=False).isolation, found.python)

    def limits(self) -> dict[str, Any]:
        """Return how much, how long, and from which seed."""
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
    asked = _StudyOptions(**options)
    found, site = asked.site()
    order = StudyRequest(found.library, found.version, "relations", apis, **asked.limits())
    built = None if again else cached_table(order)
    if built is None:
        with study_progress(f"studying {found.library} {found.version}", quiet=asked.quiet) as told:
            built = _built(order, site, told, again=again)
    use_built_tables()
    publish(_of_build(built, order, asked.form), asked.output)
    return 0


def _built(
    order: StudyRequest, site: StudySandbox, progress: StudyProgress, *, again: bool
) -> BuiltTable:
    built = None
    for event in build(order, site, anew=again):
        if isinstance(event, StudyUpdate):
            progress.heard(event)
        else:
            built = event
    assert built is not None
    return built


def _of_build(built: BuiltTable, order: StudyRequest, form: str) -> str:
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


def _part(built: BuiltTable) -> dict[str, object]:
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
    asked = _StudyOptions(**options)
    found, site = asked.site()
    use_built_tables()
    known = table(found.library, found.version)
    chosen = apis if known is None else tuple(resolved(known, name) for name in apis)
    order = StudyRequest(
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
        fuzzed = DivergenceProgress(
            known, progress, aloud=asked.form == "text" and asked.output is None
        )
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


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="How relations are found and divergences judged: docs/relations.md.",
)
def relations() -> None:
    """Find calls of a deep-learning library that agree with each other, and that do not.

    \b
    assayer relations show                what is known of torch
    assayer relations show torch.lcm      with which calls it should agree
    assayer relations build               find the relations of the torch installed here
    assayer relations fuzz torch.lcm      look for calls that disagree
    """  # noqa: D301 - click reads the escape


@relations.command(epilog="Exit status: 0 shown, 2 wrong usage, 3 our fault or the machine's.")
@click.argument("api", required=False)
@click.option(
    "--library", default="torch", metavar="|".join(LIBRARIES), help="Of what (default: torch)."
)
@click.option(
    "--version", metavar="V", help="Which version (default: the one installed here, or the newest)."
)
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it to FILE.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
@whole()
def show(
    api: str | None,
    library: str,
    version: str | None,
    form: str,
    output: Path | None,
    settings_file: Path | None,
) -> int:
    """Print what is known of a library, or of one API.

    Of an API: its relations as templates over its parameters, and the calls of
    it that are known not to behave as they should, each with three lines that
    show it.  As JSON without an API: the whole table.
    """
    use_built_tables()
    found = _found(library, version, settings_file)
    name = resolved(found, api) if api else None
    if form == "json":
        text = as_json(document(found, [name] if name else None))
    else:
        text = of_api(found, name) if name else summary(found)
    publish(text, output)
    return 0


relations.add_command(build_command)
relations.add_command(fuzz_command)


def _found(library: str, version: str | None, settings_file: Path | None) -> RelationTable:
    """The table that is meant; raises ``UsageError`` where there is none."""
    if library not in LIBRARIES:
        raise UsageError(f"{library!r} is not known; known are {', '.join(LIBRARIES)}")
    known = [each for each in tables() if each.library == library]
    version = version or _installed(library, settings_file)
    found = table(library, version) if version else None
    if found is None and known and not version:
        return known[-1]
    if found is None:
        there = ", ".join(each.version for each in known) or "none"
        raise UsageError(
            f"there is no table of {library} {version or ''} (there are: {there}). Build it: "
            f"assayer relations build --library {library}, where that version is installed"
        )
    return found


def _installed(library: str, settings_file: Path | None) -> str | None:
    try:
        return installed_library(library, read_settings(settings_file).sandbox.python).version
    except UsageError:
        return None
