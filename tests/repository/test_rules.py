"""Every reported rule is in the table of rules, and ``docs/rules.md`` is made from it.

``python -m tests.repository.test_rules`` writes the page.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzers.rules import RULES, Rule
from analyzers.rules.rule import Example

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules.md"
REPORTED = sorted(
    {
        rule
        for path in (ROOT / "analyzers").rglob("*.py")
        for rule in re.findall(r'"((?:cloud|code|behaviour)/[a-z-]+)"', path.read_text("utf-8"))
    }
)
INTRODUCTION = """\
# Rules

Everything that Assayer reports. This page is made from `analyzers/rules/`: there,
each rule has its words, and its examples are its tests. [report.md](report.md) lists
the evidence of each finding. Ids of rules stay as they are.
"""


def page() -> str:
    """Return ``docs/rules.md``."""
    return "\n".join([INTRODUCTION, *("\n".join(section(rule)) for rule in RULES.values())])


def section(rule: Rule) -> Iterator[str]:
    """Yield the lines about a rule."""
    level = f"{rule.level}; {rule.lower}" if rule.lower else rule.level
    yield from (f"## `{rule.id}`\n", f"{rule.title}.\n", f"- Level: {level}.")
    yield from (f"- Why it matters: {rule.why}", f"- How to fix: {rule.fix}\n")
    for failing, passing in zip(rule.failing, rule.passing, strict=True):
        if failing.kind:
            yield from (f"### `{failing.kind}`\n", f"{failing.about}\n")
        api = f" (`client` is that of `{failing.api}`)" if failing.api else ""
        yield from (f"Reported{api}:\n", *code(failing), "Not reported:\n", *code(passing))


def code(example: Example) -> Iterator[str]:
    """Yield the lines of an example."""
    if example.base:
        yield f"```python\n# base\n{example.base}\n\n# head\n{example.code}```\n"
    else:
        yield f"```python\n{example.code}```\n"
    for reading, answers in example.answers.items():
        inputs = f"inputs of “{reading}”" if reading else "inputs of no particular content"
        shown = dict.fromkeys(f"`{json.dumps(answer)}`" for answer in answers)
        yield f"The API answers for {inputs}: {', '.join(shown)}.\n"


def test_rules_are_found() -> None:
    assert {"cloud/low-recall", "cloud/crash", "code/error", "behaviour/changed"} <= set(REPORTED)


@pytest.mark.parametrize("rule", REPORTED)
def test_rule_is_explained(rule: str) -> None:
    assert rule in RULES
    assert f"`{rule}`" in (ROOT / "docs" / "report.md").read_text("utf-8")


def test_page_of_rules_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.repository.test_rules"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
