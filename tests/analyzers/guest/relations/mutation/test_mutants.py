import random
from itertools import islice

import pytest

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.mutation.call_mutants import mutants

torch = pytest.importorskip("torch")

ADD = ("torch.add(torch.tensor([6.0, 4.0]), torch.tensor([4.0, 3.0]))",)
LCM = ("torch.lcm(torch.tensor([6, 4]), torch.tensor([4, 3]))",)
BAG = (
    "torch.nn.functional.embedding_bag(torch.tensor([1, 2]), torch.tensor([[0.5], [1.0], [2.0]]),"
    ' offsets=torch.tensor([0, 1]), mode="sum", padding_idx=0)',
    "torch.nn.functional.embedding_bag(torch.tensor([[1, 2]]), torch.tensor([[0.5], [1.0], [2.0]]),"
    ' mode="max")',
)
LINEAR = ("torch.nn.Linear(3, 2)(torch.tensor([[1.0, 2.0, 3.0]]))",)


def calls(texts):
    torch_ = library("torch")
    return [live_call(parse_call(text, torch_), torch_) for text in texts]


def some(texts, amount=400, seed=1, fixed=frozenset()):
    found = mutants(calls(texts), library("torch"), random.Random(seed), fixed)
    return list(islice(found, amount))


def shown(live):
    return repr((live.arguments, live.keywords, live.inputs))


def tensors(lives):
    return [item for live in lives for item in live.arguments if isinstance(item, torch.Tensor)]


def test_the_same_seed_gives_the_same_mutants():
    assert [shown(live) for live in some(LCM, 100)] == [shown(live) for live in some(LCM, 100)]


def test_another_seed_gives_others():
    assert [shown(live) for live in some(LCM, 50)] != [
        shown(live) for live in some(LCM, 50, seed=2)
    ]


def test_integers_reach_their_extremes_in_pairs():
    low = torch.iinfo(torch.int64).min
    pairs = set()
    for live in some(LCM):
        if len(live.arguments) == 2 and all(torch.is_tensor(item) for item in live.arguments):
            first, second = live.arguments
            if first.shape == second.shape and first.dtype == torch.int64:
                pairs |= set(zip(first.flatten().tolist(), second.flatten().tolist(), strict=True))
    assert {(low, 5), (low, -1)} <= pairs


@pytest.mark.parametrize(
    "has",
    [
        lambda item: item.dim() == 0,
        lambda item: item.numel() == 0,
        lambda item: item.dtype == torch.bool,
        lambda item: item.is_floating_point(),
        lambda item: not item.is_contiguous(),
        lambda item: 0 in item.stride() and item.numel() > 1,
        lambda item: item.storage_offset() > 0,
        lambda item: item.is_floating_point() and bool(item.isnan().any()),
    ],
)
def test_tensors_vary_in_shape_dtype_layout_and_elements(has):
    assert any(has(item) for item in tensors(some(LCM)) + tensors(some(ADD)))


def test_one_tensor_alone_becomes_empty():
    assert any(
        torch.is_tensor(live.keywords.get("offsets"))
        and live.keywords["offsets"].numel() == 0
        and live.arguments[0].numel() > 0
        for live in some(BAG)
    )


def test_indices_go_one_past_the_end_and_below_zero():
    values = {
        int(item) for t in tensors(some(BAG)) if t.dtype == torch.int64 for item in t.flatten()
    }
    assert {3, -1} <= values


def test_words_and_arguments_are_those_of_other_calls():
    modes = {live.keywords.get("mode") for live in some(BAG)}
    assert {"sum", "max"} <= modes
    crossed = [live for live in some(BAG) if live.keywords.get("mode") == "max"]
    assert any("padding_idx" in live.keywords for live in crossed)


def test_a_size_changes_wherever_it_stands():
    shapes = {
        (live.arguments[0], live.inputs[0].shape[-1])
        for live in some(LINEAR)
        if torch.is_tensor(live.inputs[0]) and live.inputs[0].dim()
    }
    assert any(taken == given and taken != 3 for taken, given in shapes)


def test_what_is_fixed_stays():
    fixed = frozenset({("arguments", 0), ("arguments", 1), ("inputs", 0, "shape")})
    for live in some(LINEAR, 200, fixed=fixed):
        assert live.arguments[:2] == [3, 2]
        assert live.inputs[0].shape == (1, 3)


def test_where_nothing_may_vary_there_are_no_mutants():
    fixed = frozenset({("arguments", 0), ("arguments", 1)})
    given = calls(("torch.lcm(torch.tensor([6]), torch.tensor([4]))",))
    assert list(mutants(given, library("torch"), random.Random(0), fixed)) == []


def test_the_calls_given_stay_as_they_are():
    given = calls(LCM)
    before = [shown(live) for live in given]
    made_of_them = mutants(given, library("torch"), random.Random(3))
    assert sum(1 for _ in islice(made_of_them, 300)) == 300
    assert [shown(live) for live in given] == before
