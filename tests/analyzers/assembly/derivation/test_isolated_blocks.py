"""A block run alone in its place, and what is believed of its account."""

import json

import pytest

from analyzers.assembly.derivation.derivation_tree import (
    MARK,
    IsolatedRun,
    beside,
    compared,
    isolated,
    kind_of,
    needs_isolated_run,
    parse_isolated_run,
)
from analyzers.assembly.disassembly.blocks import assembled
from analyzers.assembly.disassembly.disassembler import disassembled
from analyzers.vocabulary import AssembledRun
from tests.analyzers.assembly.derivation.running import Here

TEXT = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

layer = {layer}
x = torch.rand({shape}, requires_grad=True) + 1
y = layer(x)
print(y)
"""
RAN, RAISED = AssembledRun("ran"), AssembledRun("raised")


def told(layer, shape="2, 4"):
    [model] = disassembled(TEXT.format(layer=layer, shape=shape))
    [block] = model.blocks
    outcome = Here().state(assembled(model.template, [isolated(block)]))
    assert outcome.state == "raised"
    assert len(outcome.detail) <= 300
    return parse_isolated_run(outcome)


def test_a_block_that_runs_tells_what_it_gives():
    same, other = told("nn.ReLU()"), told("nn.ReLU6()")
    assert (same.state, same.finite) == ("ran", True)
    assert same.outputs == other.outputs
    assert same.outputs != told("nn.Linear(4, 3)").outputs


def test_writing_over_the_input_is_told_apart():
    assert told("nn.ReLU()").outputs != told("nn.ReLU(inplace=True)").outputs


def test_more_than_one_output_is_told_apart():
    assert told("nn.GRU(4, 4)").outputs != told("nn.Linear(4, 4)").outputs


@pytest.mark.parametrize(
    ("layer", "shape", "stage"),
    [
        ("nn.Linear(4, -1)", "2, 4", "build"),
        ("nn.Linear(5, 3)", "2, 4", "forward"),
        ("nn.BatchNorm1d(4)", "1, 4", "forward"),
    ],
)
def test_a_block_that_fails_tells_where(layer, shape, stage):
    found = told(layer, shape)
    assert (found.state, found.stage) == ("raised", stage)
    assert found.exception in {"RuntimeError", "ValueError"}
    assert found.detail


def test_what_is_no_number_is_told():
    assert not told("nn.LayerNorm(4, eps=-9.0)").finite


def test_a_function_is_run_alone_where_it_is_called():
    text = TEXT.format(layer="lambda x: F.dropout(\n    x,\n    p=0.5,\n)", shape="2, 4")
    [model] = disassembled(text)
    probed = assembled(model.template, [isolated(model.blocks[0])])
    assert probed.count("\n") == text.count("\n")
    assert parse_isolated_run(Here().state(probed)).state == "ran"


@pytest.mark.parametrize(
    "detail",
    [
        "another error",
        MARK + "not json",
        MARK + '["ran"]',
        MARK + json.dumps(["owned", "", "", True, "0", ""]),
        MARK + json.dumps(["ran", "", "", "yes", "0", ""]),
        MARK + json.dumps({"state": "ran"}),
    ],
)
def test_an_account_of_another_form_counts_for_nothing(detail):
    assert parse_isolated_run(AssembledRun("raised", detail=detail)).state == "unreached"


def test_a_run_that_came_through_did_not_reach_the_block():
    assert parse_isolated_run(
        AssembledRun("ran", detail=MARK + '["ran", "", "", true, "0", ""]')
    ).state == ("unreached")


@pytest.mark.parametrize("state", ["died", "timed-out", "not-run"])
def test_other_ends_are_the_blocks_own(state):
    assert parse_isolated_run(AssembledRun(state, detail="SIGFPE")).state == state


TWICE = """\
import torch
import torch.nn as nn


def layer(size):
    return {layer}


print(layer(1)(torch.rand(1, 2, 5, 5)).sum(), layer(2)(torch.rand(1, 2, 5, 5)).sum())
"""


@pytest.mark.parametrize(
    ("new", "state"),
    [
        ("nn.AvgPool2d(size, 1)", "ran"),
        ("nn.MaxPool2d(size, 2)", "differs"),
        ("nn.MaxPool2d(1, 1)", "differs"),
        ("nn.MaxPool2d(size, 1, padding=2 * size - 2)", "raised"),
    ],
)
def test_a_block_beside_another_is_run_at_each_call(new, state):
    [model] = disassembled(TWICE.format(layer="nn.MaxPool2d(size, 1)"))
    [other] = disassembled(TWICE.format(layer=new))
    paired = beside(other.blocks[0], model.blocks[0])
    found = compared(Here().state(assembled(model.template, [paired])))
    assert found.state == state


@pytest.mark.parametrize(
    ("outcome", "negative", "own", "kind"),
    [
        (RAN, False, None, "ran"),
        (RAISED, True, None, "refused"),
        (RAN, True, IsolatedRun("ran"), "unchecked"),
        (RAN, True, IsolatedRun("raised", "forward"), "unreached"),
        (RAN, True, IsolatedRun("unreached"), "unreached"),
        (RAISED, False, IsolatedRun("raised"), "unfit"),
        (RAISED, False, IsolatedRun("unreached"), "unfit"),
        (RAISED, False, IsolatedRun("ran"), "inconsistent"),
        (RAISED, False, IsolatedRun("differs"), "brittle"),
        (RAISED, False, IsolatedRun("not-run"), "not-run"),
        (AssembledRun("died"), True, None, "died"),
        (AssembledRun("ran", finite=False), False, None, "non-finite"),
    ],
)
def test_states_make_the_kind(outcome, negative, own, kind):
    assert kind_of(outcome, RAN, negative=negative, alone=own) == kind
    assert own is None or needs_isolated_run(outcome, negative=negative)


def test_what_was_not_finite_before_is_no_news():
    nan = AssembledRun("ran", finite=False)
    assert kind_of(nan, nan, negative=False) == "ran"
