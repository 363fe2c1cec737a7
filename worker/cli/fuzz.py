"""``assayer fuzz``: a campaign on one model file."""

from __future__ import annotations

from pathlib import Path

import click

from worker.check.campaign_limits import NODES, SECONDS
from worker.cli import options


@click.command(
    epilog="Exit status: 0 nothing grave, 1 failure, 2 wrong usage, 3 could not decide, "
    "130 interrupted (partial results)."
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--budget",
    type=click.FloatRange(1),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Time for the whole campaign.",
)
@click.option(
    "--files",
    type=click.IntRange(1),
    default=NODES,
    show_default=True,
    metavar="N",
    help="Assemble so many files at most.",
)
@options.seed
@options.settings_file
@click.option("--offline", is_flag=True, help="Install nothing from a network.")
@options.report
def fuzz(  # noqa: PLR0913, PLR0917 - one parameter an option of the contract
    file: Path,
    budget: float,
    files: int,
    seed: int,
    settings_file: Path | None,
    offline: bool,  # noqa: FBT001
    form: str | None,
    outputs: tuple[Path, ...],
    fix: bool,  # noqa: FBT001
    diff: bool,  # noqa: FBT001
    artifacts: Path | None,
    trust: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> int:
    """Look for bugs of the library with the model code in FILE.

    Takes the file apart and assembles it anew with other layers and values,
    runs the models that it builds, and mutants of them, several ways that
    should give the same, and reports what breaks, each with a program that
    shows it.
    """
    from worker.check.fuzz_campaign import CampaignCounts, FuzzRequest
    from worker.check.fuzz_campaign import fuzz as run_fuzz
    from worker.check.leftovers import remove_leftovers
    from worker.cli.campaign_progress import campaign_listener
    from worker.cli.report_output import ReportOutput, Reports, exit_status
    from worker.settings.operator_settings import read_settings
    from worker.system.interruption import terminate_in_order

    settings = read_settings(settings_file)
    remove_leftovers(settings)
    request = FuzzRequest(file, budget, files, seed, offline=offline, trust=trust)
    terminate_in_order()
    reports = Reports(ReportOutput(form, outputs, artifacts, diff=diff, fix=fix, quiet=quiet))
    with campaign_listener(quiet=quiet) as listener:
        spent = CampaignCounts(listener.spent)
        checked = run_fuzz(request, settings, listener, spent, reports.keep)
        listener.ended(spent)
    reports.hand_over(checked)
    return exit_status(checked)
