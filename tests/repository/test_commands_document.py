"""The table of slash-commands in the documentation is the one that the grammar follows."""

from pathlib import Path

from worker.github_app.command_grammar import SLASH_COMMANDS, usage
from worker.github_app.messages import HELP
from worker.github_app.publishing.summary_comment import help_section

DOCUMENT = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()


def test_document_lists_every_command():
    listed = [line for line in DOCUMENT.splitlines() if line.startswith("| `/assayer ")]
    assert listed == [
        f"| `{usage(verb)}` | {each.purpose} |"
        f" {'write access, the author' if each.author else 'write access'} |"
        for verb, each in SLASH_COMMANDS.items()
    ]


def test_every_help_lists_every_command():
    for verb in SLASH_COMMANDS:
        assert usage(verb) in HELP
        assert usage(verb) in help_section()
