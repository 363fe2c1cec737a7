"""``assayer demo``: the main job on a shipped pull request."""

from __future__ import annotations

from pathlib import Path

import click

from worker.changes.git import OURS, Git
from worker.check.check_plan import CheckRequest, CheckResult
from worker.check.leftovers import remove_leftovers
from worker.check.pipeline import check
from worker.cli.progress import progress_listener
from worker.cli.report_output import ReportOutput, publish, written_artifacts
from worker.demo import BASE, BUNDLE, HEAD
from worker.settings.operator_settings import read_settings
from worker.system.temporary_files import owned_folder

BUDGET_SECONDS = 90.0
INPUTS = 6


@click.command()
@click.option("--trust", is_flag=True, help="Run without isolation.")
@click.option(
    "--artifacts",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the page, inputs and reproducers to DIR.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
def demo(trust: bool, artifacts: Path | None, quiet: bool) -> int:  # noqa: FBT001
    """Check a shipped pull request from end to end.

    No network, server or key: pictures are drawn, texts are rated tweets,
    OCR and sentiment engines run here. Prints the review as it would stand in
    the pull request and writes an HTML page.
    """
    settings = read_settings(None)
    remove_leftovers(settings)
    with owned_folder("demo") as folder:
        repository = unpack(folder)
        click.echo("A pull request adds an OCR receipt check and a sentiment filter.", err=True)
        request = CheckRequest(
            repository=repository,
            base=BASE,
            head=HEAD,
            inputs=INPUTS,
            seconds=BUDGET_SECONDS,
            offline=True,
            trust=trust,
        )
        with progress_listener(quiet=quiet) as listener:
            checked = check(request, settings, listener)
        _show(checked, artifacts)
    return 0


def unpack(folder: Path) -> Path:
    """A checkout of the demo's pull request in ``folder``."""
    repository = folder / "expense-desk"
    git = Git(folder, OURS | {"GIT_ALLOW_PROTOCOL": "file"})
    git.run("clone", "--quiet", "--template=", "--branch", BASE, str(BUNDLE), str(repository))
    Git(repository, OURS).run("branch", "--quiet", HEAD, f"origin/{HEAD}")
    return repository


def _show(checked: CheckResult, folder: Path | None) -> None:
    artifacts = written_artifacts(checked, folder)
    publish(checked, ReportOutput("markdown"), artifacts)
    if artifacts is not None:
        page = artifacts.directory / "report.html"
        publish(checked, ReportOutput("html", page, artifacts.directory), artifacts)
        click.echo(f"\nThe page, with the inputs as pictures and texts: {page}", err=True)
