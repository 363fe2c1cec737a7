"""``assayer layers``: what the constructors of a library's layers take."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from analyzers.assembly import layer_tables
from analyzers.assembly.layer_tables import LayerApi
from worker.check.leftovers import remove_leftovers
from worker.cli.relation_tables import publish, whole
from worker.errors import UsageError
from worker.executor.execution_context import guest_runtime
from worker.layers import Progress, Surveyed, SurveySandbox, build, of_layer, summary
from worker.settings.operator_settings import read_settings
from worker.studies.installed_library import installed_library

_PATH = click.Path(path_type=Path)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="How ranges are found and what they rest on: docs/layers.md.",
)
def layers() -> None:
    """What the constructors of a library's layers take, and who says so.

    \b
    assayer layers show                       what is taken silently outside its range
    assayer layers show torch.nn.LayerNorm    its parameters, ranges, constraints
    assayer layers build --output FILE        survey the torch installed here
    """  # noqa: D301 - click reads the escape


@layers.command(epilog="Exit status: 0 shown, 2 wrong usage, 3 our fault or the machine's.")
@click.argument("name", required=False)
@click.option("--version", metavar="V", help="Of which torch (default: the newest that is known).")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True
)
@click.option("--output", type=_PATH, metavar="FILE", help="Write it to FILE.")
@whole()
def show(name: str | None, version: str | None, form: str, output: Path | None) -> int:
    """Print what is known of all layers, or of one.

    Each range says who says it and the words it rests on, and what the library
    does with a value just outside: refuses it, and where, or takes it silently,
    and what comes of that.
    """
    known = layer_tables.versions()
    version = version or (known[-1] if known else "")
    found = layer_tables.load(version)
    if reason := layer_tables.missing(version):
        raise UsageError(reason)
    chosen = [_named(found, name)] if name else list(found.values())
    if form == "json":
        text = json.dumps([asdict(each) for each in chosen], indent=2) + "\n"
    else:
        text = (
            of_layer(chosen[0]) if name else summary(layer_tables.loaded(version) or version, found)
        )
    publish(text, output)
    return 0


@layers.command(
    "build",
    epilog="The file is the same each time. Exit status: 0 done, 2 wrong usage, 3 our fault or "
    "the machine's.",
)
@click.option(
    "--python", type=_PATH, metavar="PATH", help="An interpreter that has torch (default: ours)."
)
@click.option(
    "--layer", "names", multiple=True, metavar="NAME", help="Only this layer (repeatable)."
)
@click.option("--seconds", type=click.FloatRange(1), default=1800.0, show_default=True, metavar="S")
@click.option("--settings", "settings_file", type=_PATH, metavar="FILE")
@click.option("--output", type=_PATH, metavar="FILE", help="Write the file here.")
@click.option("--quiet", is_flag=True, help="No progress.")
@whole()
def build_command(
    *,
    python: Path | None,
    names: tuple[str, ...],
    seconds: float,
    settings_file: Path | None,
    output: Path | None,
    quiet: bool,
) -> int:
    """Survey the layers of an installed torch in the sandbox, and print the file.

    Signatures, documentation and checks are read, values around the ends of
    every range tried; some of them take a process down, and only that.
    """
    settings = read_settings(settings_file)
    found = installed_library("torch", python or settings.sandbox.python)
    remove_leftovers(settings)
    place = SurveySandbox(guest_runtime(settings, trust=False).isolation, found.python)
    for event in build(found.version, place, seconds, names):
        if isinstance(event, Surveyed):
            publish(event.text, output)
            _say(f"{event.layers} layers, {event.trials:,} trials", quiet=quiet)
        else:
            _tell(event, quiet=quiet)
    return 0


def _tell(event: Progress, *, quiet: bool) -> None:
    _say(f"{event.done} of {event.total}: {event.name}", quiet=quiet)


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        click.echo(text, err=True)


def _named(found: Mapping[str, LayerApi], name: str) -> LayerApi:
    """The layer of a name, ``torch.nn.`` left out or not; raises ``UsageError``."""
    for each in (name, f"torch.nn.{name}", f"torch.{name}"):
        if each in found:
            return found[each]
    close = difflib.get_close_matches(name, [*found], n=3) or difflib.get_close_matches(
        f"torch.nn.{name}", [*found], n=3
    )
    hint = f"; meant may be {', '.join(close)}" if close else ""
    raise UsageError(f"nothing is known of a layer {name!r}{hint}")
