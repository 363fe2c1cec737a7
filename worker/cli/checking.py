"""Checks as a person runs them: one, or one after each change of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from worker.changes.checkout import open_checkout
from worker.changes.continuous_integration import compared_base
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check as run_check
from worker.cli.progress import progress_listener
from worker.cli.report_output import ReportOutput, Reports, exit_status
from worker.errors import UsageError
from worker.report.markdown_escape import inert
from worker.settings.operator_settings import Settings
from worker.system import interruption
from worker.system.tracing import phase

WATCHED = (".ipynb", ".toml", ".cfg", ".txt")


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """A check with the settings and destinations of one command line."""

    request: CheckRequest
    settings: Settings
    output: ReportOutput

    def run(self) -> int:
        """Check once, hand the report over and return the exit status."""
        from worker.check.leftovers import remove_leftovers

        interruption.terminate_in_order()
        request = self._request()
        reports = Reports(self.output)
        with progress_listener(quiet=self.output.quiet) as listener:
            remove_leftovers(self.settings)
            checked = run_check(request, self.settings, listener, reports.keep)
        with phase("render"):
            reports.hand_over(checked)
        return exit_status(checked)

    def _request(self) -> CheckRequest:
        """Return the request with the base that a workflow's event tells."""
        request = self.request
        if request.base is not None or request.everything:
            return request
        found = compared_base(request.repository)
        if found is None:
            return request
        if not self.output.quiet:
            click.echo(inert(found.said), err=True)
        return replace(request, base=found.base)


def watch_files(command: CheckCommand) -> int:
    """Check now and whenever files are saved, until Ctrl-C; return the last exit status."""
    if command.request.head is not None:
        raise UsageError("--watch checks the working tree; leave --head out")
    root = open_checkout(command.request.repository).root
    status = command.run()
    if status in _INTERRUPTED:
        return status
    try:
        for files in _saved(root):
            click.echo(f"\nSaved: {inert(', '.join(files))}", err=True)
            interruption.reset_interrupt()
            status = _again(command)
            if status in _INTERRUPTED:
                break
            _say_waiting(root)
    except KeyboardInterrupt:
        interruption.acknowledge_interrupt()
    return status


_INTERRUPTED = (130, 143)


def _again(command: CheckCommand) -> int:
    """Check; a file that is wrong at the moment is told, and saved again later."""
    try:
        return command.run()
    except UsageError as error:
        click.echo(f"assayer: {inert(str(error))}", err=True)
        return 2


def _saved(root: Path) -> Iterator[list[str]]:
    """Yield the files that were saved together, by their paths below ``root``."""
    from watchfiles import PythonFilter, watch

    _say_waiting(root)
    for changes in watch(root, watch_filter=PythonFilter(extra_extensions=WATCHED)):
        yield sorted({Path(path).relative_to(root).as_posix() for _, path in changes})


def _say_waiting(root: Path) -> None:
    click.echo(f"Watching {inert(str(root))}; Ctrl-C ends it", err=True)
