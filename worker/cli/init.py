"""``assayer init``: a commented configuration for the repository at hand."""

from __future__ import annotations

from pathlib import Path

import click

from worker.changes.change_set import read_changes
from worker.errors import UsageError
from worker.settings.repository_configuration import OWN_FILE, find_configuration

TEMPLATE = """\
# Assayer's configuration. It counts once it is on the base branch.
# Every key is optional; the commented values are the defaults.

# Which code is tested: gitignore patterns. Virtual environments, vendored and
# generated code are left out anyway; "!vendor/ours/" takes a folder back in.
# include = []
# exclude = []

# Which analyzers run; none named: all of them. "cloud" tests code that asks an
# ML API, "properties" code of neural networks with inputs that are valid.
# analyzers = []

# How many inputs are made for each branch that depends on an ML answer, and
# the share of them that has to reach it (more than 0, less than 1).
# inputs = 10
# recall-threshold = 0.75

# What a new finding does to the check: "failure", or "neutral" to only tell.
# gate = "failure"

# What the check says where Assayer itself could not answer: false asks for
# action and holds a required check up, true is neutral and lets it pass.
# fail-open = false

# What one run may cost: seconds, and calls of ML APIs and their list price;
# the operator's own limits hold too.
# budget = { seconds = 300, api-calls = 500, api-dollars = 5.0 }

# How many comments a review may place on lines, and who may use /assayer
# commands: "write", "maintain", "admin", or a list of logins.
# inline-comments = 5
# commands = "write"

# A finding not to hear of: by fingerprint, or by rule and path (a gitignore
# pattern). A reason is required; it counts again after the day `until`.
# [[ignore]]
# rule = "cloud/low-recall"
# path = "examples/"
# reason = "shown to readers, never run"
# until = 2027-12-31
"""


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
            file.write(TEMPLATE)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", file=str(place)) from error
    click.echo(f"Wrote {place}")
    click.echo(f"Python files and notebooks in its scope: {len(changes.sources)}")
    for skipped in changes.skipped:
        click.echo(f"Left out: {skipped.target}: {skipped.reason}")
    click.echo("Commit it to the base branch; `assayer check` then follows it.")
