import itertools
import random

import pytest

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.mutation.call_mutants import mutants

torch = pytest.importorskip("torch")


def mutated(*texts, count=60, seed=0):
    known = library("torch")
    calls = [live_call(parse_call(text, known), known) for text in texts]
    return list(itertools.islice(mutants(calls, known, random.Random(seed)), count))


def shares_memory(tensor):
    return any(
        step == 0 and size > 1 for size, step in zip(tensor.shape, tensor.stride(), strict=True)
    )


def test_what_a_method_changes_in_place_soon_shares_memory():
    calls = mutated("torch.Tensor.triu_(torch.ones((3, 3)))", count=12)
    assert any(shares_memory(live.arguments[0]) for live in calls)


def test_each_combination_of_words_gets_the_extremes_of_whole_numbers():
    one = "torch.div(torch.tensor([6.0, 4.0]), torch.tensor(4.0), rounding_mode='{}')"
    calls = mutated(one.format("trunc"), one.format("floor"), count=8)
    whole = {
        live.keywords["rounding_mode"]
        for live in calls
        if live.arguments[0].dtype == torch.int64
        and bool((live.arguments[0] == -(2**63)).any())
        and live.arguments[1].shape == live.arguments[0].shape
    }
    assert whole == {"trunc", "floor"}


def test_an_empty_batch_keeps_the_other_sizes():
    calls = mutated("torch.nn.functional.pixel_unshuffle(torch.ones((1, 1, 4, 4)), 2)", count=4)
    assert (0, 1, 4, 4) in [tuple(live.arguments[0].shape) for live in calls]


def test_all_mutations_come_before_long():
    text = "torch.add(torch.ones((2, 2)), torch.ones((2, 2)))"
    kinds = {live.arguments[0].dtype for live in mutated(text, count=80)}
    assert len(kinds) >= 5


def test_arrays_of_one_dtype_soon_have_two():
    text = "torch.nn.functional.huber_loss(torch.ones(2), torch.zeros(2), reduction='none')"
    first, *_ = (
        live for live in mutated(text, count=12) if live.arguments[1].dtype == torch.float64
    )
    assert first.arguments[0].dtype == torch.float32
