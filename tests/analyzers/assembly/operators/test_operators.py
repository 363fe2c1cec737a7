"""Blocks changed by replacement, generation and boundary checking."""

import ast
import random
from dataclasses import replace

import pytest

from analyzers.assembly.disassembly.blocks import assembled
from analyzers.assembly.disassembly.disassembler import disassembled
from analyzers.assembly.layer_tables import Similarity
from analyzers.assembly.operators.block_changes import bound
from analyzers.assembly.operators.mutation_operators import (
    bounded,
    features_before,
    generated,
    reconciled,
    replaced,
)
from analyzers.assembly.operators.parameter_values import UnknownError, holds, value_of
from tests.analyzers.assembly.layers import APIS

TEXT = """\
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, padding=1)
        self.wide = nn.Conv2d(
            6,
            width,
            kernel_size=3,
        )
        self.act = nn.ReLU(inplace=True)
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        x = F.dropout(self.act(self.conv(x)), 0.5, self.training)
        return self.fc(F.relu(self.wide(x)))
"""
[NET] = disassembled(TEXT)
CONV, WIDE, ACT, NORM, FC, DROPOUT, RELU = NET.blocks
SIMILARITY = Similarity(APIS)


def with_block(block):
    return assembled(
        NET.template, [block if each.slot == block.slot else each for each in NET.blocks]
    )


def replacements(block, seeds=60, fed=""):
    made = (
        replaced(block, APIS, SIMILARITY, NET.template.spelled, random.Random(seed), fed)
        for seed in range(seeds)
    )
    return [each for each in made if each is not None]


def generations(block, seeds=80):
    made = (generated(block, APIS, random.Random(seed)) for seed in range(seeds))
    return [each for each in made if each is not None]


def test_replacement_is_another_api_in_the_same_place():
    [first, *_] = made = replacements(ACT)
    assert {each.block.api for each in made} <= APIS.keys() - {"torch.nn.ReLU"}
    assert first.block.slot == ACT.slot
    assert first.change.told(14).endswith(f"torch.nn.ReLU → {first.change.value} at line 14")


def test_layers_are_not_replaced_by_losses_or_containers():
    names = {each.block.api for each in replacements(ACT)}
    assert not names & {"torch.nn.CrossEntropyLoss", "torch.nn.Sequential"}
    loss = replace(ACT, api="torch.nn.MSELoss", role="loss", arguments=())
    assert {each.block.api for each in replacements(loss)} == {"torch.nn.CrossEntropyLoss"}


def test_arguments_go_over_by_name():
    [relu6, *_] = [each for each in replacements(ACT) if each.block.api == "torch.nn.ReLU6"]
    assert relu6.block.pieces == ("nn.ReLU6(inplace=True)",)


def test_arguments_go_over_by_meaning():
    [conv, *_] = [each for each in replacements(FC) if each.block.api == "torch.nn.Conv2d"]
    given = bound(conv.block, APIS["torch.nn.Conv2d"])
    assert (given["in_channels"], given["out_channels"], given["kernel_size"]) == ("8", "2", "3")


def test_features_that_are_fed_are_taken_from_the_block_before():
    assert features_before(NET.blocks, ACT.slot, APIS) == "width"
    fed = [each for each in replacements(ACT, 300, "width") if "Norm" in each.block.api]
    assert {each.block.arguments[0].value for each in fed} == {"width"}


def test_a_function_is_replaced_by_a_layer_that_is_made_and_called():
    [gelu, *_] = [each for each in replacements(RELU) if each.block.api == "torch.nn.GELU"]
    assert "self.fc(nn.GELU()(self.wide(x)))" in with_block(gelu.block)
    assert [each.block.api for each in generations(gelu.block)][:1] == ["torch.nn.GELU"]


@pytest.mark.parametrize("block", NET.blocks, ids=lambda block: block.function)
def test_every_mutant_can_be_parsed_and_moves_no_line(block):
    mutants = [*replacements(block, 20), *generations(block, 20), *bounded(block, APIS)]
    assert mutants or block is RELU
    for mutant in mutants:
        text = with_block(mutant.block)
        ast.parse(text)
        assert text != TEXT
        assert text.count("\n") == TEXT.count("\n")


def test_generation_changes_one_parameter_to_a_legal_value():
    for mutant in generations(CONV):
        parameter = APIS["torch.nn.Conv2d"].parameter(mutant.change.parameter)
        assert not parameter.tied
        value = value_of(mutant.change.value)
        if parameter.choices:
            assert mutant.change.value in parameter.choices
        else:
            assert min(value if isinstance(value, tuple) else (value,)) >= parameter.low


def test_generation_keeps_conditions_over_several_parameters():
    api = APIS["torch.nn.Conv2d"]
    seen = set()
    for mutant in generations(CONV, 200):
        given = {"groups": "1", **bound(mutant.block, api)}
        assert all(holds(condition, given) for condition in api.requires)
        seen.add(mutant.change.parameter)
    assert "groups" in seen


def test_parameters_that_a_condition_ties_change_together():
    api, rng = APIS["torch.nn.Conv2d"], random.Random(0)
    now = {"in_channels": "4", "out_channels": "6", "groups": "1"}
    assert reconciled(api, now, {"groups": "4"}, rng) == {"groups": "4", "out_channels": "4"}
    assert reconciled(api, now, {"groups": "3"}, rng) is None
    assert reconciled(api, {**now, "in_channels": "width"}, {"groups": "2"}, rng) == {"groups": "2"}


def test_classes_tell_boundaries_from_the_inside():
    groups = {each.change.group for each in generations(DROPOUT)}
    assert groups == {"p: boundary", "p: inside"}


def test_of_a_function_known_by_its_layer_only_what_surely_agrees_is_changed():
    assert {each.change.parameter for each in generations(DROPOUT)} == {"p"}
    assert "F.dropout(self.act(self.conv(x)), -0.1, self.training)" in {
        line.strip().removeprefix("x = ")
        for mutant in bounded(DROPOUT, APIS)
        for line in with_block(mutant.block).splitlines()
    }


def test_boundary_checks_are_just_outside_and_never_of_a_bool():
    values = {(each.change.parameter, each.change.value) for each in bounded(CONV, APIS)}
    assert values == {
        ("in_channels", "0"),
        ("out_channels", "0"),
        ("kernel_size", "0"),
        ("stride", "0"),
        ("padding", "-1"),
        ("groups", "0"),
        ("padding_mode", "'zeros_'"),
    }
    assert list(bounded(ACT, APIS)) == []
    assert all(each.change.negative for each in bounded(NORM, APIS))


def test_an_open_end_is_itself_outside():
    open_eps = replace(APIS["torch.nn.LayerNorm"].parameters[1], open_low=True)
    apis = {"torch.nn.LayerNorm": replace(APIS["torch.nn.LayerNorm"], parameters=(open_eps,))}
    bare = replace(NORM, arguments=())
    assert [each.block.pieces for each in bounded(bare, apis)] == [("nn.LayerNorm(eps=0.0)",)]


def test_unpacked_and_unknown_arguments_are_left_alone():
    text = "import torch.nn as nn\nx = nn.Conv2d(*sizes)\ny = nn.ReLU(slope=1)\nz = nn.Fold(2)\n"
    [module] = disassembled(text)
    for block in module.blocks:
        assert list(bounded(block, APIS)) == []
        assert generations(block, 3) == replacements(block, 3) == []


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("a % b == 0", True),
        ("b < a <= 5", False),
        ("a == 1 or not b > 3", True),
        ("c % b == 0", None),
        ("(a if b else 0) in (6, 7)", True),
        ("max(a, b) == -(-6)", True),
        ("a % 0 == 1", None),
        ("__import__('os')", None),
        ("a.real == 6", None),
    ],
)
def test_conditions_are_computed_and_never_executed(condition, says):
    assert holds(condition, {"a": "6", "b": "3", "c": "width"}) is says


def test_only_literals_have_values():
    assert value_of(" (1, 2.5, 'x') ") == (1, 2.5, "x")
    for source in ("width", "f()", "1 +", "[" * 500):
        with pytest.raises(UnknownError):
            value_of(source)
