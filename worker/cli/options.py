"""Options that the commands with a report share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from worker.report.render import FORMATS

Command = Callable[..., Any]

seed = click.option(
    "--seed", type=int, default=0, metavar="N", show_default=True, help="Seed of every choice."
)
settings_file = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Engines, sources, sandbox.",
)
_REPORT = (
    click.option(
        "--format",
        "form",
        type=click.Choice(tuple(FORMATS)),
        default="text",
        show_default=True,
        help="Form of the report.",
    ),
    click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="PATH",
        help="Write the report to PATH.",
    ),
    click.option(
        "--artifacts",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Write inputs and reproducers to DIR.",
    ),
    click.option("--trust", is_flag=True, help="Run without isolation: for your own code only."),
    click.option("--quiet", is_flag=True, help="No progress."),
)


def report(command: Command) -> Command:
    """What a command says of its report, and of how it runs: from ``--format`` to ``--quiet``."""
    for option in reversed(_REPORT):
        command = option(command)
    return command
