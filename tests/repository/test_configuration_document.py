"""docs/configuration.md has the table that the settings define."""

from pathlib import Path

from worker.settings.repository_configuration import documented_keys

PAGE = Path(__file__).parents[2] / "docs/configuration.md"


def test_page_lists_every_key():
    rows = [f"| `{key}` | `{default}` | {text} |" for key, default, text in documented_keys()]
    found = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert found == rows
