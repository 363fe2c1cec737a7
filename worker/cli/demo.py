"""``assayer demo``: the main job on a shipped pull request."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from worker.cli import options

if TYPE_CHECKING:
    from worker.report.stored_report import StoredReport

BUDGET_SECONDS = 90.0
INPUTS = 6
MOST_FINDINGS = 4


@click.command()
@click.option("--trust", is_flag=True, help="Run without isolation.")
@click.option(
    "--artifacts",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the repository, reports, inputs and reproducers to DIR.",
)
@options.quiet
def demo(trust: bool, artifacts: Path | None, quiet: bool) -> int:  # noqa: FBT001
    """Check a shipped pull request from end to end.

    No network, server or key: pictures are drawn, texts are rated tweets,
    OCR and sentiment engines run here. The pull request's repository, the
    report and the page stay on disk, and the commands that are printed use them.
    """
    click.echo("A pull request adds an OCR receipt check and a sentiment filter.", err=True)
    from worker.check.check_plan import CheckRequest
    from worker.check.leftovers import remove_leftovers
    from worker.check.pipeline import check
    from worker.cli.progress import progress_listener
    from worker.cli.report_output import ReportOutput, Reports, new_folder
    from worker.demo import BASE, HEAD
    from worker.report.json_report import read_report
    from worker.report.stored_report import stored
    from worker.settings.operator_settings import read_settings

    settings = read_settings(None)
    remove_leftovers(settings)
    folder = (artifacts or new_folder()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    request = CheckRequest(
        repository=unpack(folder),
        base=BASE,
        head=HEAD,
        inputs=INPUTS,
        seconds=BUDGET_SECONDS,
        offline=True,
        trust=trust,
    )
    files = tuple(folder / f"report.{suffix}" for suffix in ("json", "html"))
    with progress_listener(quiet=quiet) as listener:
        checked = check(request, settings, listener)
    Reports(ReportOutput(paths=files, artifacts=folder)).hand_over(checked)
    click.echo("\n".join(_ending(stored(read_report(files[0])), folder)))
    return 0


def unpack(folder: Path) -> Path:
    """A checkout of the demo's pull request in ``folder``, which is made anew."""
    from worker.changes.git import OURS, Git
    from worker.demo import BASE, BUNDLE, HEAD
    from worker.system.temporary_files import remove

    repository = folder / "expense-desk"
    if repository.exists():
        remove(repository)
    git = Git(folder, OURS | {"GIT_ALLOW_PROTOCOL": "file"})
    git.run("clone", "--quiet", "--template=", "--branch", BASE, str(BUNDLE), str(repository))
    Git(repository, OURS).run("checkout", "--quiet", "-b", HEAD, f"origin/{HEAD}")
    return repository


def _ending(report: StoredReport, folder: Path) -> Iterator[str]:
    """Yield ten lines at most: the findings, what to run next, and the verdict."""
    from worker.report.report_messages import (
        counted,
        findings_on_head,
        location_text,
        verdict_line,
    )

    findings = findings_on_head(report)
    for finding in findings[:MOST_FINDINGS]:
        yield f"{location_text(finding)}  {finding.title}  [{finding.rule}]"
    if len(findings) > MOST_FINDINGS:
        yield f"and {counted(len(findings) - MOST_FINDINGS, 'more finding')}"
    json_file = shlex.quote(str(folder / "report.json"))
    repository = shlex.quote(str(folder / "expense-desk"))
    yield f"  assayer report {json_file}   # all of it, here"
    yield f"  assayer replay {json_file} --repo {repository}   # runs the findings again"
    yield f"  assayer report {json_file} --repo {repository} --diff   # tried changes"
    yield f"  the page: {(folder / 'report.html').as_uri()}"
    yield verdict_line(report)
