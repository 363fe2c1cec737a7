"""What grows with every call is told; caches and noise are not."""

import functools
import itertools
from types import SimpleNamespace

import torch

from analyzers.guest.models import resource_growth
from analyzers.guest.models.resource_growth import growth_of_repeated_call

TIMES = 30


def test_a_model_that_is_dropped_is_not_told():
    assert growth_of_repeated_call(lambda: torch.nn.Linear(3, 3)(torch.rand(2, 3)), TIMES) is None


def test_tensors_that_are_kept_are_told():
    history = []
    told = growth_of_repeated_call(
        lambda: history.append(torch.nn.Linear(3, 3)(torch.rand(2, 3))), TIMES
    )
    assert "tensors more are alive" in told


def test_a_tensor_that_gets_longer_is_told():
    kept = [torch.zeros(0)]

    def longer():
        kept[0] = torch.cat([kept[0], torch.zeros(10_000)])

    assert "MiB more" in growth_of_repeated_call(longer, TIMES)


def test_hooks_that_add_up_are_told():
    shared = torch.nn.Linear(2, 2)

    def hooked():
        shared.register_forward_hook(lambda module, given, result: None)

    assert "objects more are alive" in growth_of_repeated_call(hooked, TIMES)


def test_a_bounded_cache_that_fills_is_no_leak():
    @functools.lru_cache(maxsize=4096)
    def made(key):
        return torch.zeros(3)

    keys = itertools.count()
    assert growth_of_repeated_call(lambda: made(next(keys)), TIMES) is None


def test_a_list_with_a_bound_is_no_leak():
    recent = []

    def seen():
        recent.append(torch.zeros(3))
        del recent[:-60]

    assert growth_of_repeated_call(seen, TIMES) is None


def test_a_cache_by_what_stays_the_same_is_no_leak():
    cache = {}
    assert growth_of_repeated_call(lambda: cache.setdefault("key", torch.zeros(3)), TIMES) is None


def test_calls_that_take_longer_each_time_are_told(monkeypatch):
    calls = itertools.count(1)
    spent = [0.0]
    monkeypatch.setattr(resource_growth, "time", SimpleNamespace(process_time=lambda: spent[0]))

    def slower():
        spent[0] += next(calls) * 1e-4

    assert "times as long" in growth_of_repeated_call(slower, TIMES)


def test_cycles_are_collected():
    def cyclic():
        own = [torch.zeros(3)]
        own.append(own)

    assert growth_of_repeated_call(cyclic, TIMES) is None


def test_without_time_nothing_is_told():
    history = []
    assert (
        growth_of_repeated_call(lambda: history.append(torch.zeros(3)), TIMES, seconds=-1.0) is None
    )
