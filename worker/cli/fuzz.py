"""``assayer fuzz``: a campaign on one model file."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from analyzers.vocabulary import Finding, Target, Verdict
from worker.check.fuzz_campaign import NODES, SECONDS, CampaignCounts, FuzzRequest
from worker.check.fuzz_campaign import fuzz as run_fuzz
from worker.check.leftovers import remove_leftovers
from worker.cli import report_output
from worker.cli.progress import CheckProgress, SilentListener
from worker.cli.report_output import ReportOutput, Reports, exit_status
from worker.report.report_messages import counted
from worker.settings.operator_settings import read_settings
from worker.system.interruption import terminate_in_order


@contextmanager
def campaign_listener(*, quiet: bool) -> Generator[CampaignSilent | CampaignProgress]:
    """A listener that shows a campaign's progress until the block ends."""
    if quiet:
        yield CampaignSilent()
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        yield CampaignProgress(console, None)
        return
    with console.status("looking for models …") as status:
        yield CampaignProgress(console, status)


class CampaignSilent(SilentListener):
    """Hears and says nothing."""

    def spent(self, spent: CampaignCounts) -> None:
        """Say nothing."""

    def ended(self, spent: CampaignCounts) -> None:
        """Say nothing."""


class CampaignProgress(CheckProgress):
    """Says what was run so far on a terminal, and what was spent at the end."""

    def __init__(self, console: Console, status: Status | None) -> None:
        super().__init__(console, status)
        self._found = 0
        self._line = ""

    def detected(self, targets: Sequence[Target]) -> None:
        """Say what the campaign is on."""
        self._total = len(targets)

    def examining(self, target: Target) -> None:
        """Say which target is examined."""
        super().examining(target)
        self._line = target.id

    def found(self, verdict: Verdict) -> None:
        """Say what stands."""
        self._found += isinstance(verdict, Finding)
        super().found(verdict)

    def spent(self, spent: CampaignCounts) -> None:
        """Say what was run so far; on a terminal alone, where the line is written again."""
        if self._status is not None:
            findings = counted(self._found, "finding")
            self._status.update(escape(f"{self._line}: {spent}, {findings}"))

    def ended(self, spent: CampaignCounts) -> None:
        """Say what was spent."""
        self._console.print(escape(f"{spent}"))


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
@report_output.seed
@report_output.settings_file
@click.option("--offline", is_flag=True, help="Install nothing from a network.")
@report_output.report
def fuzz(  # noqa: PLR0913, PLR0917 - one parameter an option of the contract
    file: Path,
    budget: float,
    files: int,
    seed: int,
    settings_file: Path | None,
    offline: bool,  # noqa: FBT001
    form: str,
    output: Path | None,
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
    settings = read_settings(settings_file)
    remove_leftovers(settings)
    request = FuzzRequest(file, budget, files, seed, offline=offline, trust=trust)
    terminate_in_order()
    reports = Reports(ReportOutput(form, output, artifacts))
    with campaign_listener(quiet=quiet) as listener:
        spent = CampaignCounts(listener.spent)
        checked = run_fuzz(request, settings, listener, spent, reports.keep)
        listener.ended(spent)
    reports.hand_over(checked)
    return exit_status(checked)
