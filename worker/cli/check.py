"""``assayer check``: test what changed in a local checkout."""

from __future__ import annotations

from pathlib import Path

import click

from worker.check.check_plan import CheckRequest
from worker.check.leftovers import remove_leftovers
from worker.check.pipeline import check as run_check
from worker.check.replay import ReplayOutcome, replay_report
from worker.cli import report_output
from worker.cli.progress import progress_listener
from worker.cli.report_output import ReportOutput, Reports, exit_status
from worker.settings.operator_settings import read_settings
from worker.system.interruption import terminate_in_order


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


@click.command(
    epilog="Exit status: 0 fine or nothing to test, 1 failure, 2 wrong usage, 3 could not decide, "
    "130 interrupted (partial results)."
)
@click.argument("repo", default=".", type=click.Path(path_type=Path))
@click.option(
    "--base", metavar="REV", help="Compare with REV (default: merge base with the default branch)."
)
@click.option("--head", metavar="REV", help="Test REV (default: the working tree).")
@click.option("--all", "everything", is_flag=True, help="Treat everything as changed.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="PATH::FUNCTION",
    help="Only this function (repeatable).",
)
@click.option("--only", metavar="ANALYZER[,…]", callback=_names, help="Only these analyzers.")
@click.option("--inputs", type=click.IntRange(1, 1000), metavar="N", help="Inputs for each goal.")
@click.option(
    "--budget", type=click.FloatRange(1), metavar="SECONDS", help="Time for the whole run."
)
@report_output.seed
@report_output.settings_file
@click.option("--offline", is_flag=True, help="Use no source or engine that needs a network.")
@click.option(
    "--other-providers",
    is_flag=True,
    help="Ask other configured providers too about inputs that miss a branch.",
)
@report_output.report
def check(  # noqa: PLR0913, PLR0917 - one parameter an option of the contract
    repo: Path,
    base: str | None,
    head: str | None,
    everything: bool,  # noqa: FBT001
    targets: tuple[str, ...],
    only: tuple[str, ...],
    inputs: int | None,
    budget: float | None,
    seed: int,
    settings_file: Path | None,
    offline: bool,  # noqa: FBT001
    other_providers: bool,  # noqa: FBT001
    form: str,
    output: Path | None,
    artifacts: Path | None,
    trust: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> int:
    """Test the ML code that changed in REPO (default: here).

    Finds the changed functions that ask an ML API, makes inputs for each of
    their branches, runs them in isolation on base and on head, and reports
    what fails, with inputs and a reproducer.
    """
    request = CheckRequest(
        repository=repo,
        base=base,
        head=head,
        everything=everything,
        targets=targets,
        analyzers=only,
        inputs=inputs,
        seconds=budget,
        seed=seed,
        offline=offline,
        trust=trust,
        other_providers=other_providers,
    )
    settings = read_settings(settings_file)
    remove_leftovers(settings)
    terminate_in_order()
    reports = Reports(ReportOutput(form, output, artifacts))
    with progress_listener(quiet=quiet) as listener:
        checked = run_check(request, settings, listener, reports.keep)
    reports.hand_over(checked)
    return exit_status(checked)


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
    remove_leftovers(settings)
    outcomes: list[ReplayOutcome] = []
    for replayed in replay_report(report, repo, settings, trust=trust):
        outcomes.append(replayed.outcome)
        reason = f"  {replayed.reason}" if replayed.reason else ""
        click.echo(f"{replayed.outcome} {replayed.fingerprint}{reason}")
    if ReplayOutcome.ERROR in outcomes:
        return 3
    return 1 if ReplayOutcome.FAILED in outcomes else 0
