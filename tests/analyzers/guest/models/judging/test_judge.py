"""What is told of executions that are wrong, and that nothing is told of right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from analyzers.guest.models.executions.execution_registry import EAGER, FLOAT64
from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.judging.execution_oracles import incomparable, judge
from analyzers.guest.models.judging.isolated_runs import run_in_process, run_isolated
from analyzers.guest.models.model_types import ExecutionOutcome, ExecutionVerdict, ModelUnderTest
from tests.analyzers.guest.models.small import model_of, numbers, small_network

TORCHSCRIPT = "onnxruntime-torchscript"
NAN = float("nan")


def told(model: ModelUnderTest, *names: str) -> list[ExecutionVerdict]:
    return judge(model, run_isolated(model, names))


def rules(model: ModelUnderTest, *names: str) -> list[tuple[str, str]]:
    return [(verdict.rule, verdict.execution) for verdict in told(model, *names)]


def holed(given: torch.Tensor) -> torch.Tensor:
    """With NaN at its first place."""
    found = given.clone()
    found.view(-1)[0] = NAN
    return found


IMAGE = numbers(1, 2, 8, 8)

WRONG: dict[str, tuple[Callable[..., Any], torch.Tensor, str]] = {
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 2, divisor_override=1), IMAGE, "divergence"),
    "softplus": (lambda x: functional.softplus(x, threshold=0.1), IMAGE, "divergence"),
    "beside booleans": (
        lambda x: (x > 0, functional.softplus(x, threshold=0.1)),
        IMAGE,
        "divergence",
    ),
    "floor_divide": (lambda x: x // 0.3, IMAGE, "divergence"),
    "hardshrink": (functional.hardshrink, holed(IMAGE), "non-finite"),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 2), holed(IMAGE), "non-finite"),
    "unbatched": (lambda x: functional.avg_pool2d(x[0], 2), IMAGE, "crash"),
}

RIGHT: dict[str, tuple[Callable[..., Any], torch.Tensor]] = {
    "rounded": (lambda x: (x * 1000).round(), IMAGE),
    "cancelled": (lambda x: (x - x.mean()).sum() / 1e-5, IMAGE),
    "constant variance": (lambda x: functional.layer_norm(x * 1e-8 + 1, (8, 8)), IMAGE),
    "tied": (lambda x: (x * 3).round().argmax(1), IMAGE),
    "nearly tied": (lambda x: (torch.ones_like(x) + x * 1e-8).argmax(1), IMAGE),
    "sorted": (lambda x: x.round().sort(-1), IMAGE),
    "infinite": (lambda x: (x * 1e4).exp(), IMAGE),
    "not a number": (lambda x: (x - 10).sqrt(), IMAGE),
    "in place": (lambda x: x.relu_(), IMAGE),
    "twice": (lambda x: (x + 1,) * 2, IMAGE),
    "empty": (lambda x: x[:0], IMAGE),
    "itself": (lambda x: x, IMAGE),
}


@pytest.mark.parametrize("case", WRONG)
def test_known_faults_of_the_exporter_are_told(case: str) -> None:
    function, given, rule = WRONG[case]
    assert rules(model_of(function, given), TORCHSCRIPT) == [(rule, TORCHSCRIPT)]


@pytest.mark.slow
def test_both_exporters_ignore_the_divisor() -> None:
    found = told(model_of(WRONG["avg_pool2d"][0], IMAGE), "onnxruntime")
    assert [verdict.rule for verdict in found] == ["divergence"]
    assert found[0].error_ratio is not None
    assert found[0].error_ratio > 1e5


@pytest.mark.parametrize("case", RIGHT)
def test_right_executions_raise_no_alarm(case: str) -> None:
    function, given = RIGHT[case]
    names = ("onednn-off", "decompositions", "channels-last", TORCHSCRIPT)
    assert rules(model_of(function, given), *names) == []


def test_networks_raise_no_alarm() -> None:
    assert rules(small_network(), "onednn-off", "decompositions", TORCHSCRIPT) == []


def test_overflow_in_single_precision_is_told_of_eager() -> None:
    model = model_of(lambda x: (x * 100).exp().sum(-1).log(), IMAGE.abs() + 1)
    assert rules(model, "onednn-off")[0] == ("non-finite", EAGER)


def test_huge_inputs_may_overflow() -> None:
    assert rules(model_of(lambda x: x * x / x, IMAGE * 1e30)) == []


def faulty(wrong: Callable[[torch.Tensor], torch.Tensor], *, on: bool) -> ModelUnderTest:
    """A model that is wrong in single precision, where oneDNN is on, or where it is off."""

    def forward(given: torch.Tensor) -> torch.Tensor:
        enabled = torch.backends.mkldnn.enabled  # type: ignore[attr-defined]
        is_wrong = given.dtype is torch.float32 and enabled == on
        return wrong(given) if is_wrong else given * 1.0

    return model_of(forward, IMAGE)


def test_wrong_kernels_are_told_of_the_execution_that_has_them() -> None:
    def off(given: torch.Tensor) -> torch.Tensor:
        return given * (1 + 1e-5)

    assert rules(faulty(off, on=False), "onednn-off") == [("divergence", "onednn-off")]
    assert rules(faulty(off, on=True), "onednn-off") == [("divergence", EAGER)]


def test_other_shapes_and_kinds_are_told() -> None:
    assert "floats (128,)" in told(faulty(torch.flatten, on=False), "onednn-off")[0].detail
    assert "integers" in told(faulty(torch.Tensor.int, on=False), "onednn-off")[0].detail


def test_errors_in_one_execution_are_crashes() -> None:
    def broken(given: torch.Tensor) -> torch.Tensor:
        raise IndexError(given.shape)

    assert rules(faulty(broken, on=False), "onednn-off") == [("crash", "onednn-off")]
    assert rules(faulty(broken, on=True), "onednn-off") == []


def test_clearly_other_indices_are_told() -> None:
    def forward(given: torch.Tensor) -> torch.Tensor:
        enabled = torch.backends.mkldnn.enabled  # type: ignore[attr-defined]
        return given.argmax(-1) if enabled else given.argmin(-1)

    found = told(model_of(forward, IMAGE), "onednn-off")
    assert [(each.rule, each.error_ratio) for each in found] == [("divergence", None)]


def test_random_models_are_not_compared() -> None:
    model = model_of(lambda x: x + torch.rand_like(x), IMAGE)
    assert rules(model, TORCHSCRIPT, "onednn-off") == []
    assert "random" in str(incomparable(model))


def test_models_with_state_are_not_compared() -> None:
    seen: list[int] = []

    def forward(given: torch.Tensor) -> torch.Tensor:
        seen.append(1)
        return given * len(seen)

    model = model_of(forward, IMAGE)
    assert rules(model, "onednn-off", "decompositions") == []
    assert "state" in str(incomparable(model))
    worn_out = ExecutionOutcome("raised", detail="worn out")
    assert judge(model, {**run_in_process(model, []), "onednn-off": worn_out}) == []
    assert incomparable(small_network()) is None


def test_models_that_fail_when_called_again_are_not_compared() -> None:
    left = [1] * 4

    def forward(given: torch.Tensor) -> torch.Tensor:
        return given * left.pop()

    found = run_in_process(model_of(forward, IMAGE), ["onednn-off"])
    wrong = ExecutionOutcome("returned", (found[EAGER].outputs[0] * 2,))
    assert judge(model_of(forward, IMAGE), {**found, "onednn-off": wrong}) == []


def test_counts_that_rounding_changes_are_not_compared() -> None:
    def forward(given: torch.Tensor) -> torch.Tensor:
        kept = given[(given * 1e7).round() % 2 == 0]
        return kept if torch.backends.mkldnn.enabled else kept * 2  # type: ignore[attr-defined]

    assert rules(model_of(forward, IMAGE), "onednn-off") == []


def test_limits_are_not_told() -> None:
    assert rules(model_of(torch.special.bessel_j0, IMAGE), TORCHSCRIPT, "cuda") == []


def test_what_was_left_to_eager_is_told() -> None:
    model = small_network()
    found = {
        **run_in_process(model, []),
        "inductor": ExecutionOutcome("uncompiled", detail="graph break: LSTM"),
    }
    assert [(each.rule, each.detail) for each in judge(model, found)] == [
        ("not-compiled", "graph break: LSTM")
    ]


def test_without_a_reference_values_are_not_judged() -> None:
    model = faulty(lambda given: given + 1, on=False)
    found = {
        **run_in_process(model, ["onednn-off"]),
        FLOAT64: ExecutionOutcome("raised", detail="no"),
    }
    assert judge(model, found) == []


def test_small_floats_are_judged_by_their_own_precision() -> None:
    model = small_network()
    found = run_in_process(model, [])
    expected = found[FLOAT64].outputs[0]
    rounded = expected * (1 + 2.0**-8)
    for name, count in (("bfloat16", 0), ("onednn-off", 1)):
        verdicts = judge(model, {**found, name: ExecutionOutcome("returned", (rounded,))})
        assert len(verdicts) == count


def test_what_half_precision_cannot_represent_is_no_fault() -> None:
    model = model_of(lambda x: x * 1e5, torch.ones(3))
    found = run_in_process(model, [])
    outputs = (found[EAGER].outputs[0] * float("inf"),)
    assert judge(model, {**found, "float16": ExecutionOutcome("returned", outputs)}) == []
    assert (
        judge(model, {**found, "bfloat16": ExecutionOutcome("returned", outputs)})[0].rule
        == "non-finite"
    )


def test_measures_need_no_further_run() -> None:
    model = faulty(lambda given: given * 1.5, on=False)
    found = measured(run_in_process(model, ["onednn-off"]))
    assert found["onednn-off"].ratio > 1e5
    assert 0.0 < found["onednn-off"].d_mad < 1.0
    assert found[EAGER].ratio == 0.0


def test_the_worst_output_is_the_measure() -> None:
    def forward(given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return given * 1.0, given + (not torch.backends.mkldnn.enabled), given * 1.0  # type: ignore[attr-defined]

    found = measured(run_in_process(model_of(forward, IMAGE), ["onednn-off"]))["onednn-off"]
    assert (found.index, found.ratio > 1e5) == (1, True)
