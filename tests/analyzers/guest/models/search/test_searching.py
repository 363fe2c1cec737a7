"""The search makes the same mutants again, learns from them, and stays in its limits."""

import itertools
import os
import random
from collections import Counter

import pytest
import torch
from torch import nn

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_isolated
from analyzers.guest.models.model_types import ExecutionOutcome, ModelUnderTest
from analyzers.guest.models.mutation.layered_model import with_functions_as_layers
from analyzers.guest.models.mutation.mutation_application import apply_mutations
from analyzers.guest.models.mutation.mutation_grammar import (
    RULES,
    format_mutations,
    parse_mutations,
)
from analyzers.guest.models.mutation.new_layers import MutationInapplicable
from analyzers.guest.models.search.guided_search import CHANCE, RuleChain, choose_seed, search
from analyzers.guest.models.search.mutant_runs import (
    D_MAD,
    ERROR,
    RATIO,
    MutantRunner,
    SearchPlan,
    accumulated,
    useless,
)


class SmallConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.ReLU()
        self.fc = nn.Linear(64, 3)

    def forward(self, x):
        return self.fc(self.act(self.norm(self.conv(x))).flatten(1))


def model(kind=SmallConvNet):
    torch.manual_seed(2)
    return ModelUnderTest(kind().eval(), (torch.randn(1, 1, 4, 4),))


def lines(mutants):
    return [(format_mutations(each.mutations), each.inconsistency) for each in mutants]


@pytest.mark.parametrize("guided", [True, False])
def test_the_same_seed_makes_the_same_mutants(guided):
    plan = SearchPlan(mutants=30, seed=3, guided=guided)
    first = lines(search(model(), ["onednn-off"], plan))

    assert len(first) == 30
    assert first == lines(search(model(), ["onednn-off"], plan))
    assert first != lines(search(model(), ["onednn-off"], SearchPlan(30, seed=4, guided=guided)))


def test_a_mutant_can_be_made_again_from_its_text():
    for mutant in search(model(), [], SearchPlan(mutants=25)):
        if not mutant.left_out:
            again = run_isolated(
                apply_mutations(model(), parse_mutations(format_mutations(mutant.mutations))), []
            )
            expected = mutant.outcomes[0]["float64"].outputs
            assert again["float64"].outputs[0] == pytest.approx(expected[0], rel=1e-12, abs=1e-12)


def test_order_and_number_are_limited():
    mutants = list(search(model(), [], SearchPlan(mutants=40, order=2, guided=False)))

    assert len(mutants) == 40
    assert {len(mutant.mutations) for mutant in mutants} == {1, 2}


def test_seconds_end_a_search():
    assert list(search(model(), [], SearchPlan(seconds=0.0))) == []


def test_a_caller_may_stop_and_torch_is_as_before():
    before = torch.get_num_threads()
    state = torch.get_rng_state()
    found = search(model(), ["onednn-off"], SearchPlan(mutants=10**6))

    assert len(list(itertools.islice(found, 3))) == 3
    found.close()
    assert torch.get_num_threads() == before
    assert torch.equal(torch.get_rng_state(), state)


def test_nothing_is_made_of_seeds_that_hold_too_much():
    mutants = list(search(model(), [], SearchPlan(mutants=40, memory=0, guided=False)))

    assert all(
        {each.rule for each in mutant.mutations[:-1]}.isdisjoint({"GF", "WS", "NAI", "NEB", "NS"})
        for mutant in mutants
    )


def test_further_inputs_are_added_up():
    more = [((torch.ones(1, 1, 4, 4),), {}), ((torch.zeros(1, 1, 4, 4),), {})]
    mutant = next(search(model(), ["onednn-off"], SearchPlan(), more))

    assert len(mutant.outcomes) == 3
    alone = sum(accumulated([each], RATIO) for each in mutant.outcomes)
    assert mutant.inconsistency == pytest.approx(alone)


def test_a_model_that_fails_is_not_searched():
    with pytest.raises(MutationInapplicable):
        next(search(ModelUnderTest(SmallConvNet().eval(), (torch.ones(1, 2),)), [], SearchPlan()))


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.fc = nn.Linear(16, 16)

    def forward(self, x):
        return self.fc(self.act(x.flatten(1)) * 1e25) * 1e10


def test_what_is_out_of_range_is_left_out():
    mutants = list(search(model(Growing), [], SearchPlan(mutants=10)))

    assert len(mutants) == 10
    assert any("range" in mutant.left_out or "infinite" in mutant.left_out for mutant in mutants)
    assert not any(mutant.amplifies for mutant in mutants if mutant.left_out)


class WrongExecution:
    """An execution whose ReLU leaks a little."""

    name, eps, framework, foreign = "wrong", 2.0**-23, "torch", False

    def unavailable(self):
        return None

    def prepared(self, subject):
        def call(*inputs, **keywords):
            with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
                patch.setattr(nn.functional, "relu", leaking)
                return subject.module(*inputs, **keywords)

        return call


def leaking(value, inplace=False):
    return torch.where(value < 0, value * 2e-6, value)


def test_a_guided_search_goes_where_executions_are_apart(monkeypatch):
    monkeypatch.setitem(EXECUTIONS, "wrong", WrongExecution())
    rates = {}
    for guided in (True, False):
        found = [
            mutant.inconsistency / mutant.initial
            for seed in range(2)
            for mutant in search(model(), ["wrong"], SearchPlan(100, seed=seed, guided=guided))
            if not mutant.left_out
        ]
        rates[guided] = sum(found) / len(found)

    assert rates[True] > rates[False]


def test_right_executions_of_mutants_are_not_told_of():
    for mutant in search(model(), ["onednn-off"], SearchPlan(mutants=60, seed=1)):
        if not mutant.left_out:
            assert judge(mutant.model, mutant.outcomes[0]) == []


def test_widened_weights_are_what_the_reference_execution_gives():
    subject = model()
    runner = MutantRunner(subject, [], apart=False)
    given = [(subject.inputs, subject.keywords)]

    expected = run_isolated(subject, [])["float64"].outputs[0]
    assert (runner.outcomes(subject, given)[0]["float64"].outputs[0] == expected).all()


def test_eager_that_fails_ends_a_mutant():
    broken = ModelUnderTest(SmallConvNet().eval(), (torch.ones(3),))
    found = MutantRunner(broken, ["onednn-off"], apart=False).outcomes(
        broken, [((torch.ones(3),), {})]
    )

    assert "eager raised" in useless(found[0])


class Deadly:
    """Foreign code that dies of models with a sigmoid."""

    name, eps, framework, foreign = "deadly", 2.0**-23, "torch", True

    def unavailable(self):
        return None

    def prepared(self, subject):
        if any(isinstance(each, nn.Sigmoid) for each in subject.module.modules()):
            os.abort()
        return subject.module


def test_a_death_is_its_mutants_alone(monkeypatch):
    monkeypatch.setitem(EXECUTIONS, "deadly", Deadly())
    subject = with_functions_as_layers(model())
    runner = MutantRunner(subject, ["deadly"], apart=True)
    given = [(subject.inputs, subject.keywords)]

    def outcome(line):
        mutations = parse_mutations(line)
        mutant = apply_mutations(model(), mutations)
        return runner.outcomes(mutant, given, mutations)[0]

    try:
        assert outcome("LR act")["deadly"].status == "returned"
        died = outcome("LA act: Sigmoid() @1; LR norm")
        assert (died["deadly"].status, died["eager"].status) == ("died", "returned")
        after = outcome("LA act: Tanh() @1")
        assert after["deadly"].outputs[0] == pytest.approx(after["float64"].outputs[0], rel=1e-4)
    finally:
        runner.close()


def test_roulette_prefers_what_was_chosen_seldom():
    rng = random.Random(0)
    drawn = Counter(choose_seed([0, 1, 3], rng) for _ in range(7000))

    assert [drawn[index] / 7000 for index in range(3)] == pytest.approx(
        [4 / 7, 2 / 7, 1 / 7], abs=0.02
    )


def test_rules_are_drawn_by_rank_as_the_chain_of_the_paper_settles():
    rules = RuleChain(random.Random(0))
    drawn = Counter()
    for _ in range(20000):
        rule = rules.proposed()
        rules._current = rule
        drawn[rule] += 1
    ranked = [drawn[rule] for rule in rules._ranked]

    less, ranks = 1 - CHANCE, range(len(RULES))
    expected = [less**one * sum(min(1, less ** (two - one)) for two in ranks) for one in ranks]
    total = sum(expected)
    assert [count / 20000 for count in ranked] == pytest.approx(
        [each / total for each in expected], abs=0.02
    )


def test_a_rule_that_amplifies_comes_first():
    rules = RuleChain(random.Random(0))
    for rule in RULES:
        rules.learned(rule, amplifies=rule == "NAI")

    assert rules.rate("NAI") == 1.0
    drawn = Counter()
    for _ in range(6000):
        rule = rules.proposed()
        rules._current = rule
        drawn[rule] += 1
    assert drawn.most_common(1)[0][0] == "NAI"


def test_measures_of_known_outcomes():
    import numpy

    def outcome(*values):
        return ExecutionOutcome("returned", (numpy.array(values, dtype=float),))

    eps = 2.0**-23
    found = {
        "float64": outcome(1.0, 0.0),
        "eager": outcome(1.0 + 2 * eps, 0.0),
        "other": outcome(1.0 + 6 * eps, 0.0),
        "failed": ExecutionOutcome("raised"),
    }

    assert accumulated([found], ERROR) == pytest.approx(2 + 6 + 4)
    assert accumulated([found], RATIO) == pytest.approx(1 + 3 + 2)
    assert accumulated([found, found], D_MAD) == pytest.approx(2 * (1 + 1 + 0.5))
