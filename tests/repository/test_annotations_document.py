"""docs/annotations.md teaches the language that there is."""

import re
from pathlib import Path

import pytest

from analyzers.guest.annotations.annotation_reader import WORDS, read
from analyzers.guest.annotations.constraints import ALIASES, KINDS, VALUES

TEXT = Path("docs/annotations.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_read_without_a_problem(example):
    found = read(example)
    assert found.functions
    assert found.problems == []


def test_every_word_is_in_it():
    assert [word for word in WORDS if f"@{word}" not in TEXT] == []
    assert [kind for kind in KINDS if f"{kind}(" not in TEXT and f"`{kind}`" not in TEXT] == []
    assert [value for value in VALUES if f'"{value}"' not in TEXT] == []


def test_every_parameter_is_in_it():
    missing = [
        f"{kind.name}({name})"
        for kind in KINDS.values()
        for name in kind.parameters
        if name not in (*kind.required, "elements") and not re.search(rf"\b{name}\b", TEXT)
    ]
    assert missing == []
    assert {"min_value", "max_value", "np_type"} <= ALIASES.keys()
