"""``assayer doctor``: what works on this machine, and what can be tested on it."""

from __future__ import annotations

from pathlib import Path

import click

from worker.cli import options

EXIT_BROKEN = 3
MARKS = {"ok": "green", "–": "bright_black", "missing": "yellow"}
WIDTH = len("missing")


@click.command(epilog="Exit status: 0 tested code can be isolated, 3 it cannot.")
@options.settings_file
def doctor(settings_file: Path | None) -> int:
    """Say what works on this machine and what to do about the rest.

    Tries the known escapes against the isolation that tested code runs in, by
    guests that are started and by guests that are forked,
    asks every engine a question, and looks for fonts.  Of the hosted bot it
    looks at the queue, the database, the blobs, the GitHub App and which
    processes are there.  Each line is ok, – (not set) or missing; the last
    says what can be tested here.
    """
    from worker.cli.diagnosis import can_be_tested, can_isolate, examine
    from worker.cli.machine_checks import MachineCheck
    from worker.report.markdown_escape import inert
    from worker.settings.operator_settings import read_settings

    checks: list[MachineCheck] = []
    for check in examine(read_settings(settings_file)):
        checks.append(check)
        mark = click.style(f"{check.mark:{WIDTH}}", fg=MARKS[check.mark])
        click.echo(f"{mark}  {inert(check.name)}: {inert(check.detail)}")
        if not check.ok and check.remedy:
            click.echo(f"{'':{WIDTH}}  {inert(check.remedy)}")
    click.echo(f"\nYou can test: {can_be_tested(checks)}.")
    return 0 if can_isolate(checks) else EXIT_BROKEN
