"""``assayer relations``: which calls of a library agree, and where they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from worker.cli import options

_Command = Callable[..., Any]
_PATH = click.Path(path_type=Path)


def study_options(inputs: int, compared: str) -> Callable[[_Command], _Command]:
    """The options of both studies; ``inputs`` by default are ``compared``."""
    chosen = (
        click.option(
            *("--library", "library"),
            default="torch",
            metavar="NAME",
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
        for option in reversed(chosen):
            command = option(command)
        return command

    return decorate


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
def build_command(apis: tuple[str, ...], again: bool, **limits: Any) -> int:  # noqa: FBT001
    """Build the table of which calls of an installed library agree.

    Valid calls of every API are gathered, APIs that look alike are matched and
    their arguments assigned; pairs that give the same value on valid inputs,
    or that succeed and fail together, are kept.  The library runs in the
    sandbox alone.
    """
    from worker.cli.relation_studies import build_table

    return build_table(apis, again=again, **limits)


@click.command(
    "fuzz",
    epilog="Exit status: 0 done, whatever was found, 2 wrong usage, 3 our fault or the machine's. "
    "Oracles and how divergences are judged: docs/relations.md.",
)
@click.argument("apis", nargs=-1, metavar="[API]...")
@study_options(1000, "Inputs of each API")
@click.option(
    "--oracles",
    callback=options.names,
    metavar="ORACLE[,…]",
    help="Only these (default: the quick ones); docs/relations.md lists them.",
)
def fuzz_command(apis: tuple[str, ...], oracles: tuple[str, ...], **limits: Any) -> int:
    """Look for calls of APIs (default: all) that do not behave as they should.

    Valid calls are mutated, extremes, NaN, empty and expanded tensors among
    them, and what comes of each is held against the relations of the table and
    against other oracles.  Each divergence is told as it is found, made small,
    with three lines that show it.
    """
    from worker.cli.relation_studies import look_for_divergences

    return look_for_divergences(apis, oracles, **limits)


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
@click.option("--library", default="torch", metavar="NAME", help="Of what (default: torch).")
@click.option(
    "--version", metavar="V", help="Which version (default: the one installed here, or the newest)."
)
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it to FILE.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
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
    from worker.cli.relation_studies import show_table

    return show_table(api, library, version, form, output, settings_file)


relations.add_command(build_command)
relations.add_command(fuzz_command)
