"""What is asked of a project's calls, and which of it is about them."""

import torch

from analyzers.guest.relating.libraries import library
from analyzers.guest.relating.nouns import Disagreement, Live, Outcome
from analyzers.guest.relating.outcomes import outcome_of
from analyzers.guest.relating.reaching.asking import concerns
from analyzers.guest.relating.reaching.kinds import Kinds, of_outcome

TORCH = library("torch")


def said(relation, rule="value", status="success"):
    outcome = Outcome(status, "tensor(1.)")
    return Disagreement("torch.neg", "another", relation, rule, outcome, Outcome("success", "2"))


def call(array, api="torch.neg", **keywords):
    return Live(api, torch.neg, [array], keywords)


def test_variants_of_a_call_are_not_the_call():
    dense, strided = torch.ones(2, 3), torch.ones(3, 2).t()
    assert not concerns(said("strides"), call(dense), TORCH)
    assert concerns(said("strides"), call(strided), TORCH)
    assert not concerns(said("in-place"), call(dense), TORCH)
    assert concerns(said("in-place"), call(dense, "torch.Tensor.neg_"), TORCH)
    assert concerns(said("in-place"), call(dense, inplace=True), TORCH)
    assert concerns(said("reference"), call(dense), TORCH)
    assert concerns(said("strides", "crash"), call(dense), TORCH)


def test_calls_of_one_kind_are_taken_once():
    kinds = Kinds(TORCH, 1)
    one, other = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])
    assert kinds.take("here", call(one))
    assert not kinds.take("here", call(other))
    assert kinds.take("there", call(other))
    for different in (one.double(), -one, one * 1e9, one[:0], one[None], one * torch.nan):
        assert kinds.take("here", call(different))


def test_outcomes_of_one_kind():
    def kind(function):
        return of_outcome(*outcome_of(function, TORCH), TORCH)

    assert kind(lambda: torch.ones(2)) == kind(lambda: torch.zeros(3, 4))
    assert kind(lambda: torch.ones(2)) != kind(lambda: torch.ones(2).double())
    assert kind(lambda: torch.ones(2)) != kind(lambda: torch.ones(2) / 0)
    assert kind(lambda: torch.ones(2).view(3)) == kind(lambda: torch.ones(2).view(5))
