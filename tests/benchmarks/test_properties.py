"""The zoo of bugs: its cases can be read, and findings are told apart."""

from __future__ import annotations

import pytest

from analyzers.guest.annotations.annotation_reader import read
from benchmarks.properties.__main__ import Tried
from benchmarks.properties.cases import cases
from benchmarks.properties.command_line_runs import Checked, seeded
from benchmarks.properties.conciseness import HELPERS, lines_of
from benchmarks.properties.templates import annotation_lines, template

ALL = list(cases())
DENSE = next(case for case in ALL if case.name == "dense_depth")
((PATH, LINE),) = DENSE.lines()


def finding(rule="property/crash", exception="TypeError", line=LINE, target=DENSE.target):
    return {
        "rule": rule,
        "path": PATH,
        "line": line,
        "target": target,
        "title": "fails",
        "evidence": {"exception": exception, "raised_at": f"{PATH}:{line}"},
    }


def report(*findings):
    return Checked(findings, (), (), 2, 100, 5.0)


def test_the_zoo_is_large_and_half_of_it_is_annotated():
    annotated = [case for case in ALL if case.annotated]
    assert len(ALL) >= 88
    assert len(annotated) >= 44
    assert len(ALL) - len(annotated) >= 44


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_versions_differ_and_say_the_same_of_their_inputs(case):
    buggy, fixed = case.sources("buggy"), case.sources("fixed")
    assert set(buggy) == set(fixed)
    assert buggy != fixed
    for path in buggy:
        if path.endswith(".py"):
            said = read(buggy[path])
            assert not said.problems
            assert [said.functions[name].requires for name in said.functions] == [
                each.requires for each in read(fixed[path]).functions.values()
            ]
            if not case.annotated:
                assert not said.functions
                assert not said.module_test


def test_the_seeded_finding_counts_wherever_it_is_reported_from():
    assert seeded(DENSE, finding())
    assert seeded(DENSE, finding(target="train.py::main"))


@pytest.mark.parametrize(
    "other",
    [
        finding(rule="property/invalid-annotation"),
        finding(exception="ValueError"),
        finding(line=LINE + 1),
    ],
)
def test_another_finding_does_not(other):
    assert not seeded(DENSE, other)


def test_whatever_is_reported_on_the_fixed_version_is_false():
    tried = Tried(DENSE, report(finding(), finding(line=1)), report(finding()))
    assert tried.true == 1
    assert [said.split()[0] for said in tried.false] == ["buggy", "fixed"]


def test_a_template_says_what_the_annotations_say():
    text = template(DENSE)
    compile(text + HELPERS, "template", "exec")
    assert "growth=st.integers(min_value=1, max_value=8)" in text
    assert "assume(type(layers) is not list or len(layers) == blocks)" in text
    assert annotation_lines(DENSE) == 7
    assert lines_of(text) > 20
