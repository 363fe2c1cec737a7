"""``assayer annotate``: what functions take, inferred and written down as annotations."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from analyzers.properties.annotating import Proposal, applied, proposals
from worker.changes import read_changes
from worker.errors import UsageError
from worker.laboratory.documents import documents


@click.command(
    epilog="An annotation is a comment above the function: docs/annotations.md. Read what is "
    "proposed: it tells what Assayer may pass."
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--write", is_flag=True, help="Change the files instead of printing a diff.")
@click.option("--quiet", is_flag=True, help="Do not say where each annotation comes from.")
def annotate(paths: tuple[Path, ...], write: bool, quiet: bool) -> None:  # noqa: FBT001
    """Print aN annotations inferred for the functions in PATHS, as a unified diff.

    They come from calls in the project, its tests and documents, guards, type
    hints, docstrings, and the layers that arguments go through. Where each
    comes from, and how sure it is, goes to standard error.
    """
    root, texts = _project(paths[0])
    count = 0
    for path in _chosen(paths, root, texts):
        found = list(_proposals(path, texts))
        if not found:
            continue
        count += sum(len(each.lines) for each in found)
        changed = applied(texts[path], found)
        if write:
            (root / path).write_text(changed, encoding="utf-8", newline="")
        else:
            click.echo(_diff(path, texts[path], changed), nl=False)
        if not quiet:
            _tell(path, found)
    click.echo(f"{count} annotations {'written' if write else 'proposed'}", err=True)


def _project(path: Path) -> tuple[Path, Mapping[str, str]]:
    """The root of the project that a path lies in, and the project's texts."""
    if not path.exists():
        raise UsageError("there is no such file or folder", file=str(path))
    changes = read_changes(path if path.is_dir() else path.parent, everything=True)
    root = Path(changes.repository)
    return root, {**documents(root), **changes.sources}


def _chosen(paths: Sequence[Path], root: Path, texts: Mapping[str, str]) -> Iterator[str]:
    """The files meant, each once; raises ``UsageError`` for one that is not the project's."""
    wanted: dict[str, None] = {}
    for path in paths:
        place = path.resolve()
        if not place.is_relative_to(root):
            raise UsageError(f"is not in the project at {root}", file=str(path))
        inside = place.relative_to(root).as_posix()
        own = [name for name in texts if name.endswith(".py") and _is_in(name, inside)]
        if not own:
            raise UsageError("holds no Python code of the project", file=str(path))
        wanted.update(dict.fromkeys(sorted(own)))
    yield from wanted


def _is_in(name: str, inside: str) -> bool:
    return inside in (".", name) or name.startswith(f"{inside}/")


def _proposals(path: str, texts: Mapping[str, str]) -> Iterator[Proposal]:
    try:
        yield from proposals(path, texts)
    except SyntaxError as error:
        click.echo(f"{path}:{error.lineno}: left out: {error.msg}", err=True)


def _diff(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{path}",
        f"b/{path}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _tell(path: str, found: Sequence[Proposal]) -> None:
    for proposal in found:
        click.echo(f"{path}::{proposal.function}", err=True)
        for source in proposal.sources:
            click.echo(f"  {source}", err=True)
