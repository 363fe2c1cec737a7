"""``assayer relations``: which calls of a library agree, and where they do not."""

from __future__ import annotations

from pathlib import Path

import click

from analyzers.relations.table import Table, table, tables
from worker.cli.studies import build_command, fuzz_command
from worker.cli.tables import as_json, document, of_api, publish, resolved, summary, whole
from worker.errors import UsageError
from worker.relations import LIBRARIES, installed, use_built
from worker.settings.server import read_settings


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="How relations are found and divergences judged: docs/relations.md.",
)
def relations() -> None:
    """Which calls of a deep-learning library agree with each other, and where they do not.

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
    use_built()
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


def _found(library: str, version: str | None, settings_file: Path | None) -> Table:
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
        return installed(library, read_settings(settings_file).sandbox.python).version
    except UsageError:
        return None
