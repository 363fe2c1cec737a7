"""Functions in many styles, each under the comment of what is inferred of it."""

from pathlib import Path

import pytest

from analyzers.guest.annotations.syntax import parse, render
from tests.analyzers.inference.inferred_facts import inference, subjects, told

CASES = Path(__file__).parent / "cases" / "texts"
FILES = sorted(CASES.glob("*.py"))
EVERY = [
    (path.name, subject) for path in FILES for subject in subjects(path.name, path.read_text())
]


def wanted(subject, lines):
    """The comment above a function, ``#:`` before each line."""
    first = min([subject.node.lineno, *(each.lineno for each in subject.node.decorator_list)])
    found = []
    for line in reversed(lines[: first - 1]):
        if not line.strip().startswith("#:"):
            break
        found.insert(0, line.strip()[2:].strip())
    return found


@pytest.mark.parametrize(
    ("name", "subject"), EVERY, ids=[f"{name}-{subject.function}" for name, subject in EVERY]
)
def test_infers_what_the_comment_says(name, subject):
    assert told(subject) == wanted(subject, (CASES / name).read_text().splitlines())


def test_there_are_cases_enough():
    assert len(EVERY) >= 80


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_inferred_can_be_written_and_read(path):
    for subject in subjects(path.name, path.read_text()):
        for inferred in inference(subject).arguments.values():
            assert parse(render(inferred.constraint)) == inferred.constraint
