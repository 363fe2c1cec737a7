"""Relations of a library's calls: built, shown, and looked for divergences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzers.guest.relations.oracles.oracle_registry import ORACLES
from analyzers.relations.relation_tables import RelationTable, table, tables
from worker.check.leftovers import remove_leftovers
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
from worker.cli.study_progress import DivergenceProgress, StudyProgress, study_progress
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


@whole()
def build_table(apis: tuple[str, ...], *, again: bool, **options: Any) -> int:
    """Build the table of an installed library, or a part of it, and print it."""
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


@whole()
def look_for_divergences(apis: tuple[str, ...], oracles: tuple[str, ...], **options: Any) -> int:
    """Look for calls that do not behave as they should, and print them."""
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


@whole()
def show_table(
    api: str | None,
    library: str,
    version: str | None,
    form: str,
    output: Path | None,
    settings_file: Path | None,
) -> int:
    """Print what is known of a library, or of one API."""
    use_built_tables()
    found = _found(library, version, settings_file)
    name = resolved(found, api) if api else None
    if form == "json":
        text = as_json(document(found, [name] if name else None))
    else:
        text = of_api(found, name) if name else summary(found)
    publish(text, output)
    return 0


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
