"""``assayer annotate``: annotations inferred for functions."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    epilog="An annotation is a comment above the function: docs/annotations.md. Read what is "
    "proposed: it tells what Assayer may pass. Exit status: 0 done, 2 wrong usage or a file that "
    "is no Python, 3 could not do it."
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--write", is_flag=True, help="Change the files instead of printing a diff.")
@click.option("--record", is_flag=True, help="Run the project's tests in isolation; watch calls.")
@click.option("--guesses", is_flag=True, help="Propose what is only guessed, too.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--trust", is_flag=True, help="Record without isolation: for your own code only.")
@click.option("--quiet", is_flag=True, help="Do not say where each annotation comes from.")
def annotate(
    paths: tuple[Path, ...],
    write: bool,  # noqa: FBT001
    record: bool,  # noqa: FBT001
    guesses: bool,  # noqa: FBT001
    settings_file: Path | None,
    trust: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> int:
    """Print aN annotations inferred for the functions in PATHS, as a unified diff.

    They come from calls in the project, its tests and documents, guards, type
    hints, docstrings, and the layers that arguments go through. Where each
    comes from, and how sure it is, goes to standard error. Test files get none.
    """
    from worker.cli.annotation_writing import propose

    return propose(
        paths,
        settings_file,
        write=write,
        record=record,
        guesses=guesses,
        trust=trust,
        quiet=quiet,
    )
