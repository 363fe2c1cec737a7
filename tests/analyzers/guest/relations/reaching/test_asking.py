"""What is asked of a project's calls, and which of it is about them."""

import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import outcome_of
from analyzers.guest.relations.reaching.call_judging import CallKinds, concerns_project, of_outcome
from analyzers.guest.relations.relation_types import CallOutcome, Disagreement, LiveCall

TORCH = library("torch")


def said(relation, rule="value", status="success"):
    outcome = CallOutcome(status, "tensor(1.)")
    return Disagreement(
        "torch.neg", "another", relation, rule, outcome, CallOutcome("success", "2")
    )


def call(array, api="torch.neg", **keywords):
    return LiveCall(api, torch.neg, [array], keywords)


def test_variants_of_a_call_are_not_the_call():
    dense, strided = torch.ones(2, 3), torch.ones(3, 2).t()
    assert not concerns_project(said("strides"), call(dense), TORCH)
    assert concerns_project(said("strides"), call(strided), TORCH)
    assert not concerns_project(said("in-place"), call(dense), TORCH)
    assert concerns_project(said("in-place"), call(dense, "torch.Tensor.neg_"), TORCH)
    assert concerns_project(said("in-place"), call(dense, inplace=True), TORCH)
    assert concerns_project(said("reference"), call(dense), TORCH)
    assert concerns_project(said("strides", "crash"), call(dense), TORCH)


def test_calls_of_one_kind_are_taken_once():
    kinds = CallKinds(TORCH, 1)
    one, other = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])
    assert kinds.take("here", call(one))
    assert not kinds.take("here", call(other))
    assert kinds.take("there", call(other))
    for different in (one.double(), -one, one * 1e9, one[:0], one[None], one * torch.nan):
        assert kinds.take("here", call(different))
    assert kinds.take("here", call(torch.ones(2, 4)[:, ::2]))


def test_outcomes_of_one_kind():
    def kind(function):
        return of_outcome(*outcome_of(function), TORCH)

    assert kind(lambda: torch.ones(2)) == kind(lambda: torch.zeros(3, 4))
    assert kind(lambda: torch.ones(2)) != kind(lambda: torch.ones(2).double())
    assert kind(lambda: torch.ones(2)) != kind(lambda: torch.ones(2) / 0)
    assert kind(lambda: torch.ones(2).view(3)) == kind(lambda: torch.ones(2).view(5))
