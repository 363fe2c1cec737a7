"""Options that several commands share.  Every ``--help`` loads this: nothing heavy here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from worker.report.format_names import FORMAT_NAMES

Command = Callable[..., Any]

seed = click.option(
    "--seed", type=int, default=0, metavar="N", show_default=True, help="Random seed."
)
settings_file = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The operator's settings: engines, sources, sandbox.",
)
report_format = click.option(
    "--format",
    "form",
    type=click.Choice(FORMAT_NAMES),
    help="Format of the report  [default: text, or by the suffix of --output]",
)
output = click.option(
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PATH",
    help="Write the report to PATH, in the format of its suffix (repeatable).",
)
fix = click.option("--fix", is_flag=True, help="Apply the verified suggestions to the files.")
diff = click.option(
    "--diff", is_flag=True, help="Print the verified suggestions as a unified diff."
)
artifacts = click.option(
    "--artifacts",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write inputs and reproducers to DIR.",
)
trust = click.option("--trust", is_flag=True, help="Run without isolation: for your own code only.")
quiet = click.option("--quiet", is_flag=True, help="No progress.")
_REPORT = (report_format, output, fix, diff, artifacts, trust, quiet)


def report(command: Command) -> Command:
    """Add the options of reports and runs: from ``--format`` to ``--quiet``."""
    for option in reversed(_REPORT):
        command = option(command)
    return command


def names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the names of a list with commas."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
