"""``assayer init``: a commented configuration for the repository at hand."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from worker.changes.change_set import read_changes
from worker.errors import UsageError
from worker.settings.repository_configuration import OWN_FILE, documented_keys, find_configuration

EXAMPLE_IGNORE = """\
# [[ignore]]
# rule = "cloud/low-recall"
# path = "examples/"
# reason = "shown to readers, never run"
# until = 2027-12-31
"""


def configuration_template() -> str:
    """Return a configuration with every key as a comment."""
    text = (
        "# Assayer's configuration. It takes effect once it is on the base branch.\n"
        "# Every key is optional; the commented values are the defaults.\n"
    )
    for key, default, description in documented_keys():
        comment = textwrap.fill(
            description, 78, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
        )
        text += f"\n{comment}\n"
        text += EXAMPLE_IGNORE if key == "ignore" else f"# {key} = {default}\n"
    return text


@click.command()
@click.argument("repo", default=".", type=click.Path(path_type=Path))
def init(repo: Path) -> None:
    """Write a commented configuration for REPO (default: here)."""
    changes = read_changes(repo, everything=True)
    root = Path(changes.repository)
    place = root / OWN_FILE
    if find_configuration(root, None) is not None or place.exists():
        raise UsageError("Assayer is configured here already; nothing was written", file=str(root))
    try:
        place.parent.mkdir(exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(configuration_template())
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", file=str(place)) from error
    click.echo(f"Wrote {place}")
    click.echo(f"Python files and notebooks in its scope: {len(changes.sources)}")
    for skipped in changes.skipped:
        click.echo(f"Skipped: {skipped.target}: {skipped.reason}")
    click.echo("Commit it to the base branch; `assayer check` then uses it.")
