"""The page on misuses: its examples are reported, or not, as it says."""

import re
from pathlib import Path

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.vocabulary import Finding
from tests.analyzers.cloud.bench import Case, FakeBench

PAGE = Path(__file__).parents[3] / "docs" / "misuses.md"
SECTION = re.compile(r"^## `(?P<kind>[a-z-]+)`\n(?P<body>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(
    r"^(?P<said>Reported|Not reported):\n+```python (?P<api>\S+)\n(?P<code>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
KINDS = {"score-scale", "enum-as-text", "number-as-text", "constant-input-in-loop", "unread-error"}
# what the search finds for comparisons of texts: one answer on either side
READ = {"google.vision.text_detection": ["3000", "100"]}
EXAMPLES = [
    pytest.param(section["kind"], example, id=f"{section['kind']}-{example['said']}")
    for section in SECTION.finditer(PAGE.read_text(encoding="utf-8"))
    for example in EXAMPLE.finditer(section["body"])
]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_example_is_reported_as_the_page_says(kind, example):
    api = example["api"]
    case = Case(example["code"], api=api, searched=READ.get(api, []))
    verdicts = CloudAnalyzer().examine(case.target, FakeBench(case))
    found = [
        verdict.evidence["misuse"]
        for verdict in verdicts
        if isinstance(verdict, Finding) and verdict.rule == "cloud/misuse"
    ]
    assert found == ([kind] if example["said"] == "Reported" else [])


def test_every_kind_has_both_examples():
    shown = {(parameters.values[0], parameters.values[1]["said"]) for parameters in EXAMPLES}
    assert shown == {(kind, said) for kind in KINDS for said in ("Reported", "Not reported")}
