"""Where a report goes, and the exit status that it stands for."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
from platformdirs import user_state_path

from analyzers.vocabulary import Conclusion
from worker.check import Checked
from worker.report.artifacts import Artifacts, write_artifacts
from worker.report.render import Options, render
from worker.report.text import wants_colour

EXIT_STATUS = {
    Conclusion.SUCCESS: 0,
    Conclusion.NEUTRAL: 0,
    Conclusion.SKIPPED: 0,
    Conclusion.FAILURE: 1,
    Conclusion.ERROR: 3,
}


@dataclass(frozen=True, slots=True)
class Output:
    """Format and file of a report (``None``: standard output), and its artifacts' folder."""

    form: str
    path: Path | None = None
    artifacts: Path | None = None


def written(checked: Checked, folder: Path | None) -> Artifacts | None:
    """The findings' inputs and reproducers, written; ``None`` where there are none.

    Without a folder a new one is made in the user's state directory.
    """
    if not checked.report.findings:
        return None
    if folder is None:
        runs = user_state_path("assayer") / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=runs))
    folder.mkdir(parents=True, exist_ok=True)
    return write_artifacts(checked.report, folder.resolve(), checked.sources)


def publish(checked: Checked, output: Output, artifacts: Artifacts | None) -> None:
    """Print the report, or write it to the output's path."""
    shared = _shared_folder(output)
    colour = output.path is None and wants_colour(sys.stdout)
    text = render(output.form, checked.report, artifacts, Options(shared, colour=colour))
    if output.path is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    output.path.parent.mkdir(parents=True, exist_ok=True)
    output.path.write_text(text, encoding="utf-8")


def _shared_folder(output: Output) -> Path | None:
    """The report's folder where report and artifacts are kept together."""
    if output.path is None or output.artifacts is None:
        return None
    folder = output.path.resolve().parent
    return folder if output.artifacts.resolve().is_relative_to(folder) else None


def exit_status(checked: Checked) -> int:
    """The exit status of CONTRACT.md, section 1."""
    return EXIT_STATUS[checked.report.conclusion]
