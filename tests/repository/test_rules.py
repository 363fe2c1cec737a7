"""Every rule that an analyzer reports is explained."""

import re
from pathlib import Path

import pytest

from worker.report.rule_descriptions import RULES

ROOT = Path(__file__).parents[2]
REPORTED = sorted(
    {
        rule
        for path in (ROOT / "analyzers").rglob("*.py")
        for rule in re.findall(r'"((?:cloud|code|behaviour)/[a-z-]+)"', path.read_text("utf-8"))
    }
)


def test_rules_are_found() -> None:
    assert {"cloud/low-recall", "cloud/crash", "code/error", "behaviour/changed"} <= set(REPORTED)


@pytest.mark.parametrize("rule", REPORTED)
def test_rule_is_explained(rule: str) -> None:
    assert rule in RULES
    assert f"`{rule}`" in (ROOT / "docs" / "report.md").read_text("utf-8")
