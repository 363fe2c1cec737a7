"""``assayer init``: a configuration that fits the repository at hand."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("repo", default=".", type=click.Path(path_type=Path))
def init(repo: Path) -> None:
    """Write a configuration that fits the code of REPO (default: here).

    Says which ML APIs and libraries the code uses, who answers for them here,
    and what a check of all of it would cost at most.
    """
    from worker.changes.change_set import read_changes
    from worker.cli.project_survey import configuration_for, survey
    from worker.errors import UsageError
    from worker.report.markdown_escape import inert
    from worker.settings.operator_settings import read_settings
    from worker.settings.repository_configuration import OWN_FILE, find_configuration

    changes = read_changes(repo, everything=True)
    root = Path(changes.repository)
    place = root / OWN_FILE
    if find_configuration(root, None) is not None or place.exists():
        raise UsageError("Assayer is configured here already; nothing was written", file=str(root))
    found = survey(changes, read_settings(None))
    try:
        place.parent.mkdir(exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(configuration_for(found))
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", file=str(place)) from error
    click.echo(f"Wrote {inert(str(place))}")
    click.echo(f"Python files and notebooks in its scope: {len(changes.sources)}")
    for line in found.lines():
        click.echo(inert(line))
    for skipped in changes.skipped:
        click.echo(f"Skipped: {inert(skipped.target)}: {inert(skipped.reason)}")
    click.echo("Commit it to the base branch; `assayer check` then uses it.")
