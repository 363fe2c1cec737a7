"""Inferred annotations, printed as a difference or written."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from analyzers.inference.facts import Confidence
from analyzers.properties.annotation_proposals import (
    Proposal,
    applied,
    is_test,
    proposals,
)
from analyzers.vocabulary import ObservedCall
from worker.changes.change_set import read_changes
from worker.errors import UsageError
from worker.executor.call_recording import record_files, recorder
from worker.executor.project_files import documents
from worker.report.report_messages import counted
from worker.report.suggested_edits import unified_diff
from worker.settings.operator_settings import read_settings


@dataclass(slots=True)
class _Project:
    """A working tree: its texts by path, and calls that were recorded."""

    root: Path
    texts: Mapping[str, str]
    unread: Mapping[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, Sequence[ObservedCall]] = field(default_factory=dict)


def propose(
    paths: Sequence[Path],
    settings_file: Path | None,
    *,
    write: bool,
    record: bool,
    guesses: bool,
    trust: bool,
    quiet: bool,
) -> int:
    """Print or write the annotations of files; return the exit status."""
    project = _project(paths)
    chosen = list(_chosen(paths, project))
    if record:
        _record(project, chosen, settings_file, trust=trust)
    count, wrong = 0, 0
    for path in chosen:
        try:
            least = Confidence.GUESS if guesses else Confidence.LIKELY
            found = list(proposals(path, project.texts, project.calls.get(path, ()), least))
        except SyntaxError as error:
            wrong += 1
            click.echo(f"assayer: {path}:{error.lineno or 1}: {error.msg}", err=True)
            continue
        count += sum(len(each.sources) for each in found)
        _publish(project, path, found, write=write)
        if not quiet:
            _tell(path, found)
    done = "written" if write else "proposed"
    click.echo(f"{counted(count, 'annotation')} {done}", err=True)
    return 2 if wrong else 0


def _project(paths: Sequence[Path]) -> _Project:
    """The project that the first path lies in; raises ``UsageError`` for paths that are none."""
    for path in paths:
        if not path.exists():
            raise UsageError("there is no such file or folder", file=str(path))
    first = paths[0]
    changes = read_changes(first if first.is_dir() else first.parent, everything=True)
    root = Path(changes.repository)
    unread = {skipped.target: skipped.reason for skipped in changes.skipped}
    return _Project(root, {**documents(root), **changes.sources}, unread)


def _chosen(paths: Sequence[Path], project: _Project) -> Iterator[str]:
    """The files meant, each once, tests left out; raises ``UsageError`` where there are none."""
    wanted: dict[str, None] = {}
    for path in paths:
        place = path.resolve()
        if not place.is_relative_to(project.root.resolve()):
            raise UsageError(f"is not in the project at {project.root}", file=str(path))
        inside = place.relative_to(project.root.resolve()).as_posix()
        if inside in project.unread:
            raise UsageError(project.unread[inside], file=str(path))
        own = sorted(
            n
            for n in project.texts
            if n.endswith(".py") and (inside in (".", n) or n.startswith(f"{inside}/"))
        )
        if not own:
            raise UsageError("holds no Python code of the project", file=str(path))
        wanted.update(dict.fromkeys(own))
    tests = [path for path in wanted if is_test(path)]
    if tests:
        click.echo(f"{counted(len(tests), 'test file')} left out", err=True)
    yield from (path for path in wanted if path not in tests)


def _record(
    project: _Project, paths: Sequence[str], settings_file: Path | None, *, trust: bool
) -> None:
    settings = read_settings(settings_file)
    with recorder(project.root, project.texts, settings, trust=trust) as made:
        for path, calls, obstacle in record_files(made, paths):
            project.calls[path] = calls
            said = f"not recorded: {obstacle}" if obstacle else f"{counted(len(calls), 'call')}"
            click.echo(f"{path}: {said}{'' if obstacle else ' recorded'}", err=True)


def _publish(project: _Project, path: str, found: Sequence[Proposal], *, write: bool) -> None:
    before = project.texts[path]
    after = applied(before, found)
    if after == before:
        return
    if not write:
        click.echo(unified_diff(path, before, after), nl=False)
        return
    file = project.root / path
    with file.open("rb") as stream:
        encoding, _ = tokenize.detect_encoding(stream.readline)
    file.write_bytes(after.encode(encoding, "backslashreplace"))


def _tell(path: str, found: Sequence[Proposal]) -> None:
    for proposal in found:
        click.echo(f"{path}::{proposal.function}", err=True)
        for source in proposal.sources:
            click.echo(f"  {source}", err=True)
        for source in proposal.guessed:
            click.echo(f"  left out: {source}", err=True)
