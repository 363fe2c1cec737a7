"""The examples of the relation rules are reported, or not, by torch in the real sandbox."""

import ast
import time
from dataclasses import replace

import pytest

from analyzers.relations.relations_analyzer import RelationsAnalyzer
from analyzers.rules import relation_rules
from analyzers.vocabulary import Finding
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

EXAMPLES = [
    pytest.param(rule, example, expected, id=f"{rule.id}-{expected}")
    for rule in relation_rules.RULES
    for expected, examples in ((True, rule.failing), (False, rule.passing))
    for example in examples
]


@pytest.fixture(scope="module")
def head(tmp_path_factory):
    """A project with a file for each example."""
    files = {f"example_{n}": each.values[1].code for n, each in enumerate(EXAMPLES)}
    return tree(tmp_path_factory.mktemp("examples") / "head", **files)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "example", "expected"), EXAMPLES)
def test_example_is_reported_as_its_rule_says(rule, example, expected, head, warm_place):
    (path,) = [path for path, text in head.texts.items() if text == example.code]
    (function,) = [each for each in ast.parse(example.code).body if hasattr(each, "args")]
    where = replace(target(path, function.name), line=function.lineno, calls=())
    executor = SandboxExecutor(laboratory(head, head, warm_place), where, time.monotonic() + 100)
    try:
        verdicts = list(RelationsAnalyzer().examine(where, executor))
    finally:
        executor.close()
    found = {verdict.rule for verdict in verdicts if isinstance(verdict, Finding)}
    assert found == {rule.id} if expected else rule.id not in found
