"""Calls of torch that are known to be valid: where they are from, and that they are."""

from typing import Any

import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.relation_types import CallSource, LiveCall
from analyzers.guest.relations.torch_library import valid_calls
from analyzers.guest.relations.torch_library.call_tracing import kept, most_different, traced
from analyzers.guest.relations.torch_library.valid_calls import (
    calls_in_documentation,
    moduleinfo_calls,
)

pytestmark = pytest.mark.filterwarnings("ignore")
TORCH = library("torch")
PARTS = 60


def by_api(found: Any) -> dict[str, list[CallSource]]:
    kept: dict[str, list[CallSource]] = {}
    for call, _ in found:
        kept.setdefault(call.api, []).append(call)
    return kept


@pytest.fixture(scope="module")
def sampled() -> dict[str, list[CallSource]]:
    return by_api(valid_calls.opinfo_calls(TORCH, valid_calls.opinfo_database()[::PARTS]))


def live(source: str) -> LiveCall:
    return live_call(parse_call(source, TORCH), TORCH)


@pytest.mark.slow
def test_operators_are_called_as_functions_and_as_methods(
    sampled: dict[str, list[CallSource]],
) -> None:
    operators = valid_calls.opinfo_database()[0::PARTS]
    named = {TORCH.named(item.op) for item in operators} - {None}
    assert named <= set(sampled)
    assert any(name.startswith("torch.Tensor.") for name in sampled)


@pytest.mark.slow
def test_each_call_succeeds_when_read_from_its_text(sampled: dict[str, list[CallSource]]) -> None:
    for calls in sampled.values():
        for call in calls:
            TORCH.seed()
            live_call(parse_call(call.source(), TORCH), TORCH).run()


def test_the_calls_of_an_api_differ(sampled: dict[str, list[CallSource]]) -> None:
    for calls in sampled.values():
        assert len({call.source() for call in calls[:16]}) == len(calls[:16])


def test_layers_are_made_and_called() -> None:
    found = by_api(moduleinfo_calls(TORCH, valid_calls.moduleinfo_database()[3::30]))
    assert found
    for calls in found.values():
        assert all(call.inputs is not None for call in calls)


def test_examples_in_documentation_are_traced() -> None:
    apis = [api for api in TORCH.apis() if api.name in ("torch.lcm", "torch.nn.Softshrink")]
    found = list(calls_in_documentation(TORCH, apis))
    assert {"torch.lcm", "torch.nn.Softshrink"} <= {call.api for call, _ in found}
    assert {origin for _, origin in found} <= {f"the documentation of {api.name}" for api in apis}


def test_tracing_sees_values_from_before_the_call() -> None:
    value = torch.zeros(2)
    (seen,) = traced(lambda: value.add_(1), TORCH)
    assert seen.api == "torch.Tensor.add_"
    assert seen.arguments[0].tolist() == [0, 0]


def test_tracing_sees_functions_in_python_inside_others() -> None:
    def run() -> None:
        torch.nn.Threshold(0.5, 20.0)(torch.ones(2))

    seen = traced(run, TORCH)
    assert {"torch.nn.Threshold", "torch.nn.functional.threshold"} <= {item.api for item in seen}
    (layer,) = [item for item in seen if item.api == "torch.nn.Threshold"]
    assert (layer.arguments, layer.keywords) == ([0.5, 20.0], {})


def test_tracing_ends_what_takes_too_long() -> None:
    def run() -> None:
        while True:
            str.join(",", [])
            len(torch.nn.functional.relu(torch.ones(1)))

    assert traced(run, TORCH, seconds=0.2)


def test_tracing_survives_errors() -> None:
    seen = traced(lambda: torch.ones(2) @ torch.ones(3), TORCH)
    assert [item.api for item in seen] == ["torch.ones", "torch.ones", "torch.Tensor.matmul"]


def test_a_large_tensor_is_replaced_by_one_that_can_be_said() -> None:
    value = torch.rand(20, 20)
    call = kept(LiveCall("torch.sin", torch.sin, [value]), TORCH)
    assert call is not None
    assert call.source().startswith("torch.sin(tensor((20, 20), 'float32', seed=1, low=")


def test_what_fails_is_not_kept() -> None:
    assert kept(live("torch.cholesky(torch.tensor([[-1.0]]))"), TORCH) is None


def test_new_forms_come_early() -> None:
    ones = [live("torch.sum(torch.tensor([1.0]))") for _ in range(3)]
    other = live("torch.sum(torch.tensor([[1.0]]), 1)")
    assert most_different([*ones, other])[1] is other


def test_relatives_of_the_same_name_borrow() -> None:
    calls = [(parse_call("torch.lcm(torch.tensor([6]), torch.tensor([4]))", TORCH), "here")]
    found = by_api(valid_calls.gathered(TORCH, calls))
    assert {"torch.lcm", "torch.Tensor.lcm", "torch.Tensor.lcm_", "torch.lcm_"} <= set(found)


def test_a_text_is_given_once_and_no_api_has_too_many() -> None:
    sources = [f"torch.exp(torch.tensor([{number // 2}.0]))" for number in range(99)]
    found = by_api(
        valid_calls.gathered(TORCH, [(parse_call(item, TORCH), "here") for item in sources])
    )
    assert len(found["torch.exp"]) == valid_calls.MOST_CALLS


def test_parts_are_run_beside_each_other() -> None:
    threads = torch.get_num_threads()
    first = next(iter(TORCH.sources()[0]()))
    assert first[1] == "op_db"
    assert torch.get_num_threads() == threads


def test_calls_of_some_apis_are_sought_among_those_of_their_namesakes() -> None:
    found = by_api(call for source in TORCH.sources(["torch.Tensor.lcm_"]) for call in source())
    assert {"torch.lcm", "torch.Tensor.lcm", "torch.Tensor.lcm_"} <= set(found)
    assert "torch.Tensor.add" not in found
