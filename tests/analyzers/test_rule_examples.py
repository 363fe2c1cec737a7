"""The examples of the rules are reported, or not, as the rules say."""

import ast

import pytest
import torch
from torch._dynamo.utils import counters

from analyzers.catalogue import load_catalogue
from analyzers.cloud.cloud_analyzer import CloudAnalyzer, read_text
from analyzers.cloud.repairs.related_words import related
from analyzers.guest.models.executions.torch_executions import left_to_eager
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.export_branches import baked_branch
from analyzers.guest.models.judging.isolated_runs import PreparedModel
from analyzers.guest.models.model_types import ModelUnderTest
from analyzers.pipeline import explains
from analyzers.rules import RULES, assembly_rules, cloud_rules, code_error_rules, model_rules
from analyzers.source_checks import read_changes
from analyzers.vocabulary import ChangeSet, Finding, Level, Raised, Returned, Violated
from tests.analyzers.assembly.test_assembly_analyzer import AssemblyBench, examined
from tests.analyzers.cloud.bench import Case, FakeBench
from worker.check.check_plan import asked_answers

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
        requirements=example.requirements,
        origins={"NameError": "code", "UnboundLocalError": "code"},
    )
    bench = FakeBench(case)
    ran = [v for v in CloudAnalyzer().examine(case.target, bench) if isinstance(v, Finding)]
    given = "name 'client' is not defined"  # the bench has it
    text = [*read_text(case.target, bench), *_of_the_text(case, bench)]
    read = [each for each in text if each.evidence.get("message") != given]
    found = [each for each in ran if not any(_replaces(one, each) for one in read)]
    found += [each for each in read if not any(_replaces(one, each) for one in found)]
    assert [finding.rule for finding in found] == [rule.id] * expected
    assert [finding.evidence.get("misuse", "") for finding in found] == [example.kind] * expected


def _of_the_text(case: Case, bench: FakeBench) -> list[Finding]:
    path = case.target.path
    changes = ChangeSet("here", "b" * 40, None, (), {path: bench.source(path)}, {})
    functions = {path: {case.target.function}}
    variables = load_catalogue().variables
    answers = asked_answers([case.target])
    told = read_changes(changes, functions, {path}, answers=answers, variables=variables)
    return [each for each in told if isinstance(each, Finding)]


def _replaces(one: Finding, other: Finding) -> bool:
    """Return whether a finding stands for another one; none that weighs less does."""
    grave = [each.level is Level.FAILURE for each in (one, other)]
    return explains(one, other) and grave[0] >= grave[1]


def examples_of(*rules):
    ids = {rule.id for rule in rules}
    return pytest.mark.parametrize(
        ("rule", "example", "expected"), [each for each in EXAMPLES if each.values[0].id in ids]
    )


INPUTS = {
    model_rules.DIVERGENCE.id: torch.ones(2, 3),
    model_rules.NON_FINITE.id: torch.tensor([1.0, 200.0]),
    model_rules.CRASH.id: torch.ones(2, 3, 8, 8),
    model_rules.NOT_COMPILED.id: torch.ones(2, 3),
}


def model_of(rule, example):
    names = {}
    exec(example.code, names)
    torch.manual_seed(0)
    return ModelUnderTest(names["Net"]().eval(), (INPUTS[rule.id],))


@examples_of(model_rules.DIVERGENCE, model_rules.NON_FINITE, model_rules.CRASH)
def test_model_example_departs_as_its_rule_says(rule, example, expected):
    model = model_of(rule, example)
    with PreparedModel(model, [example.kind]) as prepared:
        outcomes = prepared.outcomes(model.inputs, model.keywords)
        assert outcomes[example.kind].status in {"returned", "raised"}
        verdicts = judge(model, outcomes)
        branch = baked_branch(prepared, model, example.kind)
    verdicts += [branch.verdict] if branch else []
    told = [(f"model/{each.rule}", each.execution) for each in verdicts]
    assert told == [(rule.id, example.kind)] * expected


@examples_of(model_rules.NOT_COMPILED)
def test_model_example_is_left_to_eager_as_its_rule_says(rule, example, expected):
    model = model_of(rule, example)
    torch._dynamo.reset()
    counters.clear()
    torch.compile(model.module, backend="eager")(*model.inputs)
    assert bool(left_to_eager(counters)) is expected


@examples_of(*assembly_rules.RULES)
def test_assembly_example_is_reported_as_its_rule_says(rule, example, expected):
    def run(probe):
        names, given = {}, {key: ast.literal_eval(v.recipe) for key, v in probe.arguments.items()}
        exec(example.code.partition("\n\n\nnet =")[0], names)
        try:
            net = names["Net"](**given)
        except ValueError as error:
            return Raised("ValueError", str(error), "net.py", 8, "Net.__init__", refusal=True)
        try:
            net(torch.rand(2, 1, 32, 32) if "kernel" in given else torch.rand(2, 8))
        except RuntimeError as error:
            return Violated(probe.ensures[0], f"it raised RuntimeError: {error}")
        return Violated(probe.ensures[0], "it is taken") if "eps" in given else Returned("None")

    found = examined(AssemblyBench(example.code, "", illegal=run, kernel=run))
    assert [each.rule for each in found] == [rule.id] * expected


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
