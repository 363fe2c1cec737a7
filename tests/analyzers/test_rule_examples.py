"""The examples of the rules are reported, or not, as the rules say."""

import ast

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.repairs.related_words import related
from analyzers.rules import RULES, cloud_rules, code_error_rules
from analyzers.vocabulary import Finding
from tests.analyzers.cloud.bench import Case, FakeBench

EXAMPLES = [
    pytest.param(rule, example, expected, id=f"{rule.id}-{example.kind}-{expected}")
    for rule in RULES.values()
    for expected, examples in ((True, rule.failing), (False, rule.passing))
    for example in examples
]
RUN_HERE = {rule.id for rule in (*cloud_rules.RULES, *code_error_rules.RULES)}


@pytest.mark.skipif(not related.available(), reason="wordnet-base is absent")
@pytest.mark.parametrize(
    ("rule", "example", "expected"), [e for e in EXAMPLES if e.values[0].id in RUN_HERE]
)
def test_example_is_reported_as_its_rule_says(rule, example, expected):
    case = Case(
        example.code,
        api=example.api,
        form="text" if "sentiment" in example.api else "path",
        searched=example.tried,
        inputs=dict(example.answers),
        base=example.base or None,
        origins={"NameError": "code"},
    )
    verdicts = CloudAnalyzer().examine(case.target, FakeBench(case))
    found = [verdict for verdict in verdicts if isinstance(verdict, Finding)]
    assert [finding.rule for finding in found] == [rule.id] * expected
    assert [finding.evidence.get("misuse", "") for finding in found] == [example.kind] * expected


@pytest.mark.parametrize(("rule", "example", "expected"), EXAMPLES)
def test_example_is_valid_python(rule, example, expected):
    assert ast.parse(example.code)
    assert ast.parse(example.base) is not None


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_every_kind_of_example_has_both_sides(rule):
    assert {each.kind for each in rule.failing} == {each.kind for each in rule.passing}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_rule_speaks_in_sentences(rule):
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.fix.endswith(".")
