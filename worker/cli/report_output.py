"""Destinations of a report, and the exit status of its verdict."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from platformdirs import user_state_path

from analyzers.vocabulary import Conclusion
from worker.check.check_plan import CheckResult
from worker.report.artifacts import Artifacts, write_artifacts
from worker.report.report_formats import FORMATS, RenderOptions, render
from worker.report.report_messages import INTERRUPTED
from worker.report.terminal_report import wants_colour
from worker.system import interruption

Command = Callable[..., Any]

seed = click.option(
    "--seed", type=int, default=0, metavar="N", show_default=True, help="Seed of every choice."
)
settings_file = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Engines, sources, sandbox.",
)
_REPORT = (
    click.option(
        "--format",
        "form",
        type=click.Choice(tuple(FORMATS)),
        default="text",
        show_default=True,
        help="Form of the report.",
    ),
    click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="PATH",
        help="Write the report to PATH.",
    ),
    click.option(
        "--artifacts",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Write inputs and reproducers to DIR.",
    ),
    click.option("--trust", is_flag=True, help="Run without isolation: for your own code only."),
    click.option("--quiet", is_flag=True, help="No progress."),
)


def report(command: Command) -> Command:
    """Add the options of reports and runs: from ``--format`` to ``--quiet``."""
    for option in reversed(_REPORT):
        command = option(command)
    return command


EXIT_STATUS = {
    Conclusion.SUCCESS: 0,
    Conclusion.NEUTRAL: 0,
    Conclusion.SKIPPED: 0,
    Conclusion.FAILURE: 1,
    Conclusion.ERROR: 3,
}


@dataclass(frozen=True, slots=True)
class ReportOutput:
    """Format and file of a report (``None``: standard output), and its artifacts' folder."""

    form: str
    path: Path | None = None
    artifacts: Path | None = None


def written_artifacts(checked: CheckResult, folder: Path | None) -> Artifacts | None:
    """Write the findings' inputs and reproducers, by default below the user's state directory."""
    if not checked.report.findings:
        return None
    folder = _new_folder() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    return write_artifacts(checked.report, folder.resolve(), checked.sources, checked.base_sources)


def _new_folder() -> Path:
    runs = user_state_path("assayer") / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="run-", dir=runs))


class Reports:
    """The reports of one run: partial ones in the output's file, and the last one."""

    def __init__(self, where: ReportOutput) -> None:
        self._where = where
        self._folder = where.artifacts

    def keep(self, checked: CheckResult) -> None:
        """Write a partial report to the output's file; what cannot be kept costs no run."""
        path = self._where.path
        if path is not None and (path.is_file() or not path.exists()):
            with suppress(OSError):
                self.hand_over(checked)

    def hand_over(self, checked: CheckResult) -> None:
        """Write the artifacts and the report; the report is there even where artifacts fail."""
        if checked.report.findings and self._folder is None:
            self._folder = _new_folder()
        try:
            files = written_artifacts(checked, self._folder)
        except OSError:
            publish(checked, self._where, None)
            raise
        publish(checked, self._where, files)


def publish(checked: CheckResult, output: ReportOutput, artifacts: Artifacts | None) -> None:
    """Print the report, or write it to the output's path, whole or not at all."""
    shared = _shared_folder(output)
    colour = output.path is None and wants_colour(sys.stdout)
    text = render(output.form, checked.report, artifacts, RenderOptions(shared, colour=colour))
    if output.path is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    path = output.path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _shared_folder(output: ReportOutput) -> Path | None:
    if output.path is None or output.artifacts is None:
        return None
    folder = output.path.resolve().parent
    return folder if output.artifacts.resolve().is_relative_to(folder) else None


def exit_status(checked: CheckResult) -> int:
    """Return the exit status of CONTRACT.md, section 1; an interruption has one of its own."""
    report = checked.report
    if report.interrupted and report.conclusion is not Conclusion.FAILURE:
        click.echo(f"assayer: {INTERRUPTED}", err=True)
        return interruption.exit_status()
    return EXIT_STATUS[report.conclusion]
