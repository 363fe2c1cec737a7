"""``assayer replay``: a report's findings again, offline."""

from __future__ import annotations

from pathlib import Path

import click

from worker.replaying import Outcome, replay_report
from worker.settings.server import read_settings
from worker.sweeping import sweep


@click.command(epilog="Exit status: 0 all fixed, 1 any failed, 3 any error.")
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--repo",
    default=".",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The code to run on (default: here).",
)
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--trust", is_flag=True, help="Run without isolation: for your own code only.")
def replay(report: Path, repo: Path, settings_file: Path | None, trust: bool) -> int:  # noqa: FBT001
    """Run the findings of REPORT (JSON) again, from recorded inputs and answers.

    Prints a line for each: FAILED, FIXED or ERROR, and the fingerprint.
    """
    settings = read_settings(settings_file)
    sweep(settings)
    outcomes: list[Outcome] = []
    for replayed in replay_report(report, repo, settings, trust=trust):
        outcomes.append(replayed.outcome)
        reason = f"  {replayed.reason}" if replayed.reason else ""
        click.echo(f"{replayed.outcome} {replayed.fingerprint}{reason}")
    if Outcome.ERROR in outcomes:
        return 3
    return 1 if Outcome.FAILED in outcomes else 0
