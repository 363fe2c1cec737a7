"""``assayer doctor``: what works here."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from worker.doctor import examine
from worker.sandbox.checks import Check
from worker.settings.server import read_settings

EXIT_BROKEN = 3


@click.command(epilog="Exit status: 0 tested code can be isolated, 3 it cannot.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
def doctor(settings_file: Path | None) -> int:
    """Say what works on this machine and what to do about the rest.

    Tries the known escapes against the isolation that tested code runs in,
    asks every engine a question, and looks for fonts.  Of the hosted bot it
    looks at the queue, the database, the blobs, the GitHub App and which
    processes are there.
    """
    console = Console(highlight=False, soft_wrap=True)
    isolated = True
    for check in examine(read_settings(settings_file)):
        _say(console, check)
        about_isolation = check.name == "isolation" or check.name.startswith("escape")
        isolated = isolated and (check.ok or not about_isolation)
    return 0 if isolated else EXIT_BROKEN


def _say(console: Console, check: Check) -> None:
    mark = "[green]ok[/]  " if check.ok else "[yellow]no[/]  "
    console.print(f"{mark}{escape(check.name)}: {escape(check.detail)}")
    if not check.ok and check.remedy:
        console.print(f"      {escape(check.remedy)}")
