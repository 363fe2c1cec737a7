"""The options that ``assayer relations build`` and ``fuzz`` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from worker.relations import LIBRARIES

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
