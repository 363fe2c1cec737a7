"""Trees grown with the real torch, and what execution states say of their nodes."""

from collections import Counter
from dataclasses import replace
from itertools import count
from math import ceil

import pytest

from analyzers.assembly.derivation.derivation_tree import Policy, Tree
from analyzers.assembly.derivation.tree_growth import derive
from analyzers.assembly.disassembly.blocks import assembled
from analyzers.assembly.disassembly.disassembler import disassembled
from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.vocabulary import AssembledRun
from tests.analyzers.assembly.derivation.running import Here
from tests.analyzers.assembly.layers import APIS

TEXT = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, kernel_size=3, padding=1)
        self.tail = nn.Sequential(nn.ReLU(), nn.Dropout(0.1))
        self.norm = nn.LayerNorm(4)
        self.unused = nn.LayerNorm(7)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        x = F.relu(self.conv(x))
        return self.fc(self.norm(self.tail(x).mean((2, 3))))


net = Net()
loss = net(torch.rand(2, 3, 6, 6)).sum()
loss.backward()
"""
[NET] = disassembled(TEXT)


def grown(text=TEXT, apis=APIS, run=None, **policy):
    model = disassembled(text)[0]
    run = run or Here()
    nodes = list(derive(model, apis, run, Policy(**{"nodes": 70, "seconds": 600.0, **policy})))
    return Tree.of(nodes), run


@pytest.fixture(scope="module")
def tree():
    return grown()[0]


def of(tree, kind):
    return [node for node in tree.nodes if node.kind == kind]


def test_the_file_itself_is_the_root(tree):
    root = tree.nodes[0]
    assert (root.kind, root.parent, root.text, root.derivation) == ("seed", None, TEXT, ())


def test_numbers_are_places_in_the_tree(tree):
    assert [node.number for node in tree.nodes] == list(range(len(tree.nodes)))
    assert all(tree.parent(node).number < node.number for node in tree.nodes[1:])


def test_a_file_that_does_not_run_is_not_derived():
    tree, run = grown(TEXT.replace("LayerNorm(4)", "LayerNorm(5)"))
    assert [node.kind for node in tree.nodes] == ["seed"]
    assert tree.nodes[0].outcome.exception == "RuntimeError"
    assert len(run.texts) == 1


def test_nodes_that_fail_and_negative_ones_are_leaves(tree):
    parents = {node.parent for node in tree.nodes[1:]}
    assert {tree.nodes[number].kind for number in parents} <= {"seed", "ran"}
    assert not any(tree.nodes[number].negative for number in parents)
    assert len(parents) > 1


def test_each_node_tells_how_it_was_derived(tree):
    for node in tree.nodes[1:]:
        assert node.derivation[:-1] == tree.parent(node).derivation
        assert node.derivation[-1] == node.change.told(node.line)
    deep = max(tree.nodes, key=lambda node: len(node.derivation))
    assert len(deep.derivation) > 1


def test_an_illegal_value_that_is_taken_silently_is_found(tree):
    found = {(node.change.api, node.change.parameter) for node in of(tree, "unchecked")}
    assert ("torch.nn.LayerNorm", "eps") in found
    assert not found & {("torch.nn.Conv2d", "groups"), ("torch.nn.Dropout", "p")}
    [eps] = [node for node in of(tree, "unchecked") if node.change.api == "torch.nn.LayerNorm"]
    assert (eps.line, eps.change.value, eps.negative) == (11, "-1.0", True)
    assert not eps.outcome.finite


def test_an_illegal_value_that_is_refused_is_no_bug(tree):
    refused = {node.change.parameter for node in of(tree, "refused")}
    assert {"groups", "stride", "padding", "p"} <= refused
    assert {node.kind for node in tree.bugs()} <= {"unchecked"}


def only(api, *parameters):
    """An API of which nothing but these parameters is generated."""
    return {
        api: replace(
            APIS[api],
            parameters=tuple(
                replace(each, tied=each.name not in parameters) for each in APIS[api].parameters
            ),
        )
    }


def test_another_shape_that_the_rest_does_not_fit_is_brittle():
    tree, _ = grown(apis=only("torch.nn.Conv2d", "out_channels"), nodes=16)
    [width, *_] = of(tree, "brittle")
    assert width.alone.state == "differs"
    assert (width.line, width.outcome.line) == (9, 17)
    assert not tree.bugs()


def test_a_block_that_does_not_take_what_it_is_fed_is_unfit():
    tree, _ = grown(nodes=40, lines=((11, 11),))
    for node in of(tree, "unfit"):
        assert node.alone.state != "ran"
    assert any(node.alone.state == "raised" for node in of(tree, "unfit"))


def test_blocks_that_the_run_does_not_come_to_are_left_alone(tree):
    assert all(node.line != 12 for node in tree.nodes[1:])


def test_the_same_seed_grows_the_same_tree():
    one, same, other = (grown(run=Fine(), seed=seed, nodes=60)[0].nodes for seed in (0, 0, 1))
    assert [node.text for node in one] == [node.text for node in same]
    assert [node.text for node in one] != [node.text for node in other]


def test_only_blocks_of_the_lines_are_changed():
    tree, _ = grown(lines=((11, 11),), nodes=20, run=Fine())
    assert {node.line for node in tree.nodes[1:]} == {11}


def test_a_budget_of_nodes_is_kept():
    assert len(grown(nodes=30, run=Fine())[0].nodes) <= 30


def test_a_budget_of_seconds_is_kept():
    ticks = count()
    run = Fine()
    nodes = list(derive(NET, APIS, run, Policy(seconds=4.0, batch=3), lambda: float(next(ticks))))
    assert 1 < len(nodes) <= 13


def test_no_text_is_run_twice_as_a_node(tree):
    texts = [node.text for node in tree.nodes]
    assert len(set(texts)) == len(texts)


class Fine(Here):
    """Everything runs, and every block is reached."""

    def state(self, text):
        ran = AssembledRun("raised", detail='assayer-alone ["ran", "", "", true, "0", ""]')
        return ran if "assayer-alone" in text else AssembledRun("ran")


class Broken(Here):
    """A library that has a bug: ReLU6 crashes the file that it stands in, or the process."""

    def __init__(self, state):
        super().__init__()
        self.broken = state

    def state(self, text):
        found = super().state(text)
        asked = "assayer-alone" in text
        return self.broken if found.state == "ran" and "ReLU6" in text and not asked else found


ALIKE = {name: APIS[name] for name in ("torch.nn.ReLU", "torch.nn.ReLU6")}


def test_a_file_that_fails_though_its_parts_work_is_inconsistent():
    run = Broken(AssembledRun("raised", "backward", "RuntimeError", "internal assert", 17))
    tree, _ = grown(nodes=25, apis=ALIKE, run=run)
    [bug, *_] = tree.bugs()
    assert (bug.kind, bug.change.value, bug.outcome.line) == ("inconsistent", "torch.nn.ReLU6", 17)
    assert bug.alone.state == "ran"
    assert bug.derivation[-1].startswith("api replacement: torch.nn")


def test_a_file_that_takes_the_process_down_is_a_bug():
    tree, _ = grown(
        nodes=25, apis=ALIKE, run=Broken(AssembledRun("died", "forward", detail="SIGSEGV"))
    )
    assert {node.kind for node in tree.bugs()} == {"died"}


def test_a_file_that_never_ends_is_none():
    tree, _ = grown(nodes=25, apis=ALIKE, run=Broken(AssembledRun("timed-out")))
    assert "timed-out" in tree.counted()
    assert not tree.bugs()


def test_what_is_not_a_number_after_a_legal_change_is_told():
    tree, _ = grown(nodes=25, apis=ALIKE, run=Broken(AssembledRun("ran", finite=False)))
    assert {node.change.value for node in of(tree, "non-finite")} == {"torch.nn.ReLU6"}


def test_writing_over_the_input_is_expected_to_break_a_file():
    text = TEXT.replace("self.tail(x)", "self.tail(torch.sigmoid(x))")
    inplace = LayerApi("torch.nn.ReLU", (LayerParameter("inplace", ("bool",), "False"),))
    tree, _ = grown(text, {"torch.nn.ReLU": inplace})
    [node] = [each for each in tree.nodes[1:] if each.line == 10]
    assert node.outcome.state == "raised"
    assert not node.is_bug


def test_a_block_of_several_instances_is_run_alone_in_each():
    text = """\
import torch
import torch.nn as nn


class Part(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1, groups=groups)

    def forward(self, x):
        return self.conv(x)


net = nn.Sequential(Part(2), Part(2), nn.Flatten(), nn.Linear(64, 2))
part = Part(1)
net(part(torch.rand(1, 4, 4, 4))).sum().backward()
later = Part(4)
later(torch.rand(1, 4, 2, 6)).reshape(1, 48)
"""
    stride = only("torch.nn.Conv2d", "stride", "padding", "kernel_size")
    tree, _ = grown(text, stride, nodes=40)
    assert "brittle" in tree.counted()
    assert not tree.bugs()


def test_every_text_of_a_tree_is_its_blocks_assembled(tree):
    for node in tree.nodes[1:]:
        if node.parent == 0:
            blocks = [node.block if b.slot == node.block.slot else b for b in NET.blocks]
            assert assembled(NET.template, blocks) == node.text


def test_half_of_each_class_are_parents():
    apis = {name: APIS[name] for name in ("torch.nn.Dropout", "torch.nn.LayerNorm")}
    first, parents = {}, {}
    for kept in (0.5, 1.0):
        policy = Policy(nodes=2_000, times=12, kept=kept, lines=((10, 11),), replace=False)
        nodes = list(first_round(derive(NET, apis, Fine(), policy)))
        first[kept] = [node for node in nodes if node.line == 10]
        parents[kept] = {node.parent for node in nodes if node.line == 11} - {0}
    groups = Counter(node.change.group for node in first[0.5])
    assert max(groups.values()) > 3
    assert len(parents[0.5]) == sum(ceil(count / 2) for count in groups.values())
    assert len(parents[1.0]) == len(first[1.0])


def first_round(nodes):
    """The legal changes until those of a level before begin again."""
    level = 0
    for node in nodes:
        if node.change is None or node.negative:
            continue
        if node.level < level:
            return
        level = node.level
        yield node


def test_untouched_policy_concerns_every_block():
    assert all(Policy().concerns(block) for block in NET.blocks)
    assert not Policy(lines=((1, 2),)).concerns(replace(NET.blocks[0], line=3, end_line=4))
