"""Destinations of a report, and the exit status of its verdict."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from platformdirs import user_state_path

from analyzers.vocabulary import Conclusion
from worker.check.check_plan import CheckResult
from worker.cli.suggestion_files import SuggestionFiles
from worker.report.artifacts import Artifacts, write_artifacts
from worker.report.format_names import format_of
from worker.report.json_report import report_document
from worker.report.markdown_escape import inert
from worker.report.report_formats import RenderOptions, render
from worker.report.report_messages import INTERRUPTED, verdict_line
from worker.report.terminal_report import wants_colour, width_of
from worker.system import interruption

EXIT_STATUS = {
    Conclusion.SUCCESS: 0,
    Conclusion.NEUTRAL: 0,
    Conclusion.SKIPPED: 0,
    Conclusion.FAILURE: 1,
    Conclusion.ERROR: 3,
}


@dataclass(frozen=True, slots=True)
class ReportOutput:
    """The wanted format, the files, and what else a report is used for.

    Each file has the format of its suffix.  Standard output has the wanted format, where no file
    has it, or the suggestions as a ``diff``; else nothing.
    """

    form: str | None = None
    paths: tuple[Path, ...] = ()
    artifacts: Path | None = None
    diff: bool = False
    fix: bool = False
    quiet: bool = True

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield each file with its format."""
        alone = len(self.paths) == 1
        for path in self.paths:
            known = format_of(path, self.form if alone else None)
            yield path, known or self.form or "text"

    @property
    def printed(self) -> str | None:
        """The format that goes to standard output, if any."""
        if self.diff:
            return None
        if not self.paths:
            return self.form or "text"
        written = {form for _, form in self.files()}
        return None if self.form in written else self.form


def written_artifacts(checked: CheckResult, folder: Path | None) -> Artifacts | None:
    """Write the findings' inputs and reproducers, by default below the user's state directory."""
    if not checked.report.findings:
        return None
    folder = new_folder() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    return write_artifacts(checked.report, folder.resolve(), checked.sources, checked.base_sources)


def new_folder() -> Path:
    """Make a folder of its own below the user's state directory."""
    runs = user_state_path("assayer") / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="run-", dir=runs))


class Reports:
    """The reports of one run: partial ones in the output's files, and the last one."""

    def __init__(self, where: ReportOutput) -> None:
        self._where = where
        self._folder = where.artifacts

    def keep(self, checked: CheckResult) -> None:
        """Write a partial report to the output's files; what cannot be kept costs no run."""
        paths = [path for path in self._where.paths if path.is_file() or not path.exists()]
        if paths:
            with suppress(OSError):
                self._write(checked, paths)

    def hand_over(self, checked: CheckResult) -> None:
        """Write the artifacts and the report; the report is there even where artifacts fail."""
        where = self._where
        artifacts = self._write(checked, where.paths)
        if where.printed:
            print_text(render(where.printed, checked.report, artifacts, printing_options()))
        if where.diff or where.fix:
            document = report_document(checked.report, artifacts)
            files = SuggestionFiles(document, Path(checked.report.repository))
            use_suggestions(files, diff=where.diff, fix=where.fix)
        if not where.quiet and where.printed != "text":
            click.echo(verdict_line(checked.report), err=True)

    def _write(self, checked: CheckResult, paths: Collection[Path]) -> Artifacts | None:
        """Write artifacts and the report to ``paths``."""
        if checked.report.findings and self._folder is None:
            self._folder = new_folder()
        try:
            artifacts = written_artifacts(checked, self._folder)
        except OSError:
            self._write_files(checked, None, paths)
            raise
        self._write_files(checked, artifacts, paths)
        return artifacts

    def _write_files(
        self, checked: CheckResult, artifacts: Artifacts | None, paths: Collection[Path]
    ) -> None:
        for path, form in self._where.files():
            if path in paths:
                shared = _shared_folder(path, self._where.artifacts)
                text = render(form, checked.report, artifacts, RenderOptions(shared))
                write_whole(path, text)


def printing_options() -> RenderOptions:
    """Return how a report is rendered for standard output."""
    return RenderOptions(colour=wants_colour(sys.stdout), width=width_of(sys.stdout))


def print_text(text: str) -> None:
    """Print a report to standard output."""
    click.echo(text, nl=not text.endswith("\n"))


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is there and no file is written to."""
    path = path.resolve()
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


def _shared_folder(path: Path, artifacts: Path | None) -> Path | None:
    if artifacts is None:
        return None
    folder = path.resolve().parent
    return folder if artifacts.resolve().is_relative_to(folder) else None


def use_suggestions(files: SuggestionFiles, *, diff: bool, fix: bool) -> None:
    """Print the verified suggestions as a difference, or apply them; say what does not fit."""
    if diff:
        click.echo(files.difference(), nl=False)
    if fix:
        for done in files.apply():
            click.echo(f"Fixed: {inert(done)}", err=True)
    for problem in files.problems:
        click.echo(f"Not {'applied' if fix else 'shown'}: {inert(problem)}", err=True)
    if fix and not files.chosen:
        click.echo("No verified suggestion is available", err=True)


def exit_status(checked: CheckResult) -> int:
    """Return the exit status of CONTRACT.md, section 1; an interruption has one of its own."""
    report = checked.report
    if report.interrupted and report.conclusion is not Conclusion.FAILURE:
        click.echo(f"assayer: {INTERRUPTED}", err=True)
        return interruption.exit_status()
    return EXIT_STATUS[report.conclusion]
