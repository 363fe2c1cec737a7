"""Each rule does to a model what the paper says, and leaves the model that it is given."""

import copy
import pickle
import random

import pytest
import torch
from torch import nn

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.model_types import ModelUnderTest
from analyzers.guest.models.mutation.layered_model import with_functions_as_layers
from analyzers.guest.models.mutation.mutation_application import (
    apply_mutations,
    draw_mutation,
    survey_layers,
)
from analyzers.guest.models.mutation.mutation_grammar import (
    INTACT,
    RULES,
    format_mutations,
    parse_mutations,
)
from analyzers.guest.models.mutation.new_layers import MutationInapplicable

from .small import ALL, encoder, functional, recurrent, residual


def out(model):
    with torch.no_grad():
        return model.module(*copy.deepcopy(model.inputs), **model.keywords)


def after(model, line):
    return apply_mutations(model, parse_mutations(line))


def draw_mutations(model, rng, each):
    layers = survey_layers(with_functions_as_layers(model))
    drawn = [draw_mutation(layers, rule, rng) for rule in RULES for _ in range(each)]
    return [mutation for mutation in drawn if mutation is not None]


def weight(model, name):
    return model.module.get_parameter(name).detach()


@pytest.mark.parametrize("made", ALL)
def test_random_mutants_run_and_repeat_and_leave_the_model(made):
    model = made()
    before = pickle.dumps((model.module.state_dict(), model.inputs))
    expected = out(model)
    rng = random.Random(0)
    seen = set()
    for mutation in draw_mutations(model, rng, each=2):
        line = format_mutations([mutation])
        try:
            mutant = after(model, line)
        except MutationInapplicable:
            assert mutation.rule in ("NS", "WS")
            continue
        seen.add(mutation.rule)
        first = out(mutant)
        assert first.shape == expected.shape
        assert torch.equal(first, out(after(model, line)))
    assert torch.equal(expected, out(model))
    assert pickle.dumps((model.module.state_dict(), model.inputs)) == before
    assert {"LA", "MLA", "GF", "WS", "NAI", "NEB"} <= seen


@pytest.mark.parametrize("made", ALL)
def test_higher_orders_go_on_from_the_mutant(made):
    model = made()
    rng = random.Random(5)
    chain = []
    while len(chain) < 4:
        layers = survey_layers(
            apply_mutations(model, chain) if chain else with_functions_as_layers(model)
        )
        mutation = draw_mutation(layers, rng.choice(list(RULES)), rng)
        if mutation is None:
            continue
        try:
            apply_mutations(model, [*chain, mutation])
        except MutationInapplicable:
            continue
        chain.append(mutation)
    line = format_mutations(chain)

    assert parse_mutations(line) == chain
    assert torch.equal(out(after(model, line)), out(apply_mutations(model, chain)))


def test_functions_become_layers_without_changing_the_model():
    model = functional()
    made = with_functions_as_layers(model)

    names = [layer.name for layer in survey_layers(made)]
    assert names == ["conv1", "relu#1", "pool", "conv2", "relu#2", "pool#2", "fc", "tanh#1"]
    assert torch.equal(out(made), out(model))


def test_removal_gives_what_the_layer_was_given():
    model = functional()
    without = after(model, "AFRm tanh#1")

    assert torch.equal(out(without).tanh(), out(model))
    assert torch.equal(out(after(model, "LR tanh#1")), out(without))


def test_removal_takes_a_function_of_one_call_only():
    model = functional()
    one = after(model, "AFRm relu#1")

    kinds = {layer.name: layer.kind for layer in survey_layers(one)}
    assert (kinds["relu#1"], kinds["relu#2"]) == ("Removed", "ReLU")


def test_copy_calls_the_layer_twice_in_a_row():
    model = functional()

    assert torch.allclose(out(after(model, "LC tanh#1")), out(model).tanh())


def test_switch_exchanges_layers():
    torch.manual_seed(0)
    one, other = nn.Linear(3, 3), nn.Linear(3, 3)
    given = torch.randn(2, 3)
    model = ModelUnderTest(nn.Sequential(one, nn.Tanh(), other).eval(), (given,))

    with torch.no_grad():
        assert torch.equal(out(after(model, "LS 0: 2")), one(other(given).tanh()))


def test_addition_puts_the_layer_behind():
    model = functional()

    assert torch.equal(out(after(model, "LA tanh#1: Sigmoid() @3")), out(model).sigmoid())
    mutant = after(model, "MLA fc: Linear(5, 3) > ReLU() > Linear(3, 5) @3")
    assert out(mutant).shape == out(model).shape


def test_replacement_puts_another_activation_in_its_place():
    model = functional()
    before = out(after(model, "AFRm tanh#1"))

    assert torch.equal(out(after(model, "AFRp tanh#1: ELU() @3")), nn.functional.elu(before))


def test_fuzzing_changes_three_neurons_of_ten():
    torch.manual_seed(0)
    model = ModelUnderTest(nn.Sequential(nn.Linear(8, 10)).eval(), (torch.randn(1, 8),))
    mutant = after(model, "GF 0: weight @4")

    moved = (weight(mutant, "0.weight") - weight(model, "0.weight")).abs() > 0
    assert sorted(moved.sum(dim=1).tolist()) == [0] * 7 + [8] * 3


def test_shuffling_keeps_the_weights_of_a_neuron():
    torch.manual_seed(0)
    model = ModelUnderTest(nn.Sequential(nn.Linear(8, 10)).eval(), (torch.randn(1, 8),))
    old, new = weight(model, "0.weight"), weight(after(model, "WS 0: weight @4"), "0.weight")

    assert int((old != new).any(dim=1).sum()) == 3
    assert torch.equal(old.sort(dim=1).values, new.sort(dim=1).values)


def test_inversion_turns_the_sign_of_neurons():
    torch.manual_seed(0)
    model = ModelUnderTest(nn.Sequential(nn.Linear(8, 10)).eval(), (torch.randn(1, 8),))
    found = out(after(model, "NAI 0: weight @4")) / out(model)

    assert sorted(found.round().flatten().tolist()) == [-1.0] * 3 + [1.0] * 7


def test_blocking_makes_the_layer_deaf_for_neurons():
    torch.manual_seed(0)
    model = ModelUnderTest(nn.Sequential(nn.Linear(10, 4)).eval(), (torch.randn(1, 10),))
    found = weight(after(model, "NEB 0: weight @4"), "0.weight")

    assert int((found == 0).all(dim=0).sum()) == 3


def test_exchange_moves_what_neurons_feed():
    torch.manual_seed(0)
    model = ModelUnderTest(nn.Sequential(nn.Linear(10, 4)).eval(), (torch.randn(1, 10),))
    old, new = weight(model, "0.weight"), weight(after(model, "NS 0: weight @4"), "0.weight")

    assert int((old != new).any(dim=0).sum()) == 3
    assert sorted(map(tuple, old.T.tolist())) == sorted(map(tuple, new.T.tolist()))


def test_weights_under_two_names_stay_one():
    mutant = after(recurrent(), "GF head: weight @1").module

    assert mutant.embedding.weight is mutant.head.weight


def test_recurrent_weights_are_the_ones_that_are_used():
    model = recurrent()

    assert not torch.equal(out(after(model, "GF lstm: weight_hh_l0 @1")), out(model))


def test_weights_that_do_not_change_are_shared():
    model = functional()
    mutant = after(model, "GF fc: weight @1")

    assert mutant.module.conv1.weight is model.module.conv1.weight
    assert mutant.module.fc.weight is not model.module.fc.weight


def test_modules_in_plain_lists_are_mutated_too():
    model = residual()

    assert not torch.equal(out(after(model, "LR norm")), out(after(model, "LR conv")))
    assert not torch.equal(out(after(model, "LR conv")), out(model))


def test_a_removed_layer_does_not_let_the_model_change_its_input():
    model = residual()
    given = model.inputs[0].clone()
    mutant = apply_mutations(model, parse_mutations("LR conv; LR norm"))
    mutant.module(model.inputs[0])

    assert torch.equal(model.inputs[0], given)


def test_layers_inside_torchs_own_are_changed_by_their_weights_only():
    rng = random.Random(0)
    inside = [
        mutation
        for mutation in draw_mutations(encoder(), rng, each=20)
        if mutation.layer.startswith("encoder.") and mutation.layer.count(".") > 2
    ]

    assert inside
    assert not {mutation.rule for mutation in inside} & set(INTACT)


@pytest.mark.parametrize(
    "line",
    [
        "LR conv1",
        "LR nowhere",
        "AFRm conv1",
        "LS conv1: conv2",
        "LS conv1: nowhere",
        "GF conv1: other @1",
        "GF relu#1: weight @1",
        "LA conv1: Linear(3, 3) @1",
        "LA conv1: Conv2d(4, 4) @1",
        "LA conv1: Module() @1",
        "MLA conv1: ReLU() > DataParallel(1) @1",
        "NS conv1: weight @1",
    ],
)
def test_what_has_no_place_in_the_model_is_inapplicable(line):
    with pytest.raises(MutationInapplicable):
        after(functional(), line)


def test_mutants_can_be_exported():
    line = "LC relu#2; LA conv1: AvgPool2d(3, stride=1, padding=1) @3; AFRp tanh#1: SiLU() @1"
    mutant = after(functional(), line)
    execution = EXECUTIONS["onnxruntime-torchscript"]
    if execution.unavailable() is not None:
        pytest.skip("no ONNX Runtime")
    found = execution.prepared(mutant)(*mutant.inputs)

    first = found[0] if isinstance(found, (list, tuple)) else found
    assert torch.allclose(torch.as_tensor(first), out(mutant), atol=1e-5)
