"""A pull request with a network: what was inferred of it is offered where it caught something."""

import pytest

from analyzers.guest.annotations.annotation_reader import read
from tests.end_to_end.bot import completed
from tests.end_to_end.shop import shop
from tests.github_double import suggestion_in

pytestmark = pytest.mark.slow

NET = '''"""Which of two kinds is it?"""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.mean((2, 3)).squeeze()
        return self.out(x).argmax(dim=1)
'''


@pytest.fixture(scope="module")
def told(hosted):
    repo = shop(hosted.github, "heads")
    pull = repo.pull("head", files={"shop/head.py": NET})
    check = completed(pull)
    hosted.settled()
    hosted.github.check()
    return pull, check


def test_crash_of_a_network_blocks(told):
    _, check = told
    assert check.conclusion == "failure"
    assert [note["path"] for note in check.annotations] == ["shop/head.py"]


def test_remark_offers_the_annotation_above_the_function(told):
    pull, _ = told
    (thread,) = pull.threads()
    body = thread.comments[0].body
    lines = NET.splitlines()
    proposed = suggestion_in(body).splitlines()
    assert proposed[0].startswith("    #@arg(x): tensors(")
    first = lines.index("    def forward(self, x):")
    assert [line for line in proposed if "#@" not in line] == lines[first:]
    said = read("\n".join([*lines[:first], *proposed]))
    assert said.problems == []
    assert set(said.functions["Head.forward"].constraints) == {"x"}


def test_remark_says_what_happens_and_why_the_input_counts(told):
    body = told[0].threads()[0].comments[0].body
    assert "`return self.out(x).argmax(dim=1)` (shop/head.py:16) raises" in body
    assert "That this input is valid is inferred" in body
    assert "shapes through the layers" in body
