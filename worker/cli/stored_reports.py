"""``assayer report`` and ``assayer replay``: what a stored report is good for."""

from __future__ import annotations

from pathlib import Path

import click

from worker.cli import options


@click.command("report", epilog="Exit status: 0 rendered, 2 no such report, or it is malformed.")
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False))
@options.report_format
@options.output
@options.fix
@options.diff
@click.option(
    "--repo",
    default=".",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The checkout that --fix and --diff change (default: here).",
)
def report_command(
    report: Path,
    form: str | None,
    outputs: tuple[Path, ...],
    fix: bool,  # noqa: FBT001
    diff: bool,  # noqa: FBT001
    repo: Path,
) -> int:
    """Render REPORT (JSON) in another format; nothing runs again."""
    from worker.cli.report_output import (
        ReportOutput,
        print_text,
        printing_options,
        use_suggestions,
        write_whole,
    )
    from worker.cli.suggestion_files import SuggestionFiles
    from worker.report.json_report import read_report
    from worker.report.report_formats import render_stored

    document = read_report(report)
    folder = report.resolve().parent
    where = ReportOutput(form, outputs, diff=diff)
    for path, shape in where.files():
        write_whole(path, render_stored(shape, document, folder))
    if where.printed and not fix:
        print_text(render_stored(where.printed, document, folder, printing_options()))
    if diff or fix:
        use_suggestions(SuggestionFiles(document, repo), diff=diff, fix=fix)
    return 0


@click.command(epilog="Exit status: 0 all fixed, 1 any failed, 3 any error.")
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--repo",
    default=".",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The code to run on (default: here).",
)
@options.settings_file
@options.trust
def replay(report: Path, repo: Path, settings_file: Path | None, trust: bool) -> int:  # noqa: FBT001
    """Run the findings of REPORT (JSON) again, from recorded inputs and answers.

    Prints a line for each: FAILED, FIXED or ERROR, and the fingerprint.
    """
    from worker.check.leftovers import remove_leftovers
    from worker.check.replay import ReplayOutcome, replay_report
    from worker.settings.operator_settings import read_settings

    settings = read_settings(settings_file)
    remove_leftovers(settings)
    outcomes: list[ReplayOutcome] = []
    for replayed in replay_report(report, repo, settings, trust=trust):
        outcomes.append(replayed.outcome)
        reason = f"  {replayed.reason}" if replayed.reason else ""
        click.echo(f"{replayed.outcome} {replayed.fingerprint}{reason}")
    if ReplayOutcome.ERROR in outcomes:
        return 3
    return 1 if ReplayOutcome.FAILED in outcomes else 0
