"""Each execution gives what the model gives, and leaves nothing behind."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy
import pytest
import torch

from analyzers.guest.models.executions.execution_registry import EXECUTIONS, execution_of, register
from analyzers.guest.models.executions.tensor_trees import as_numpy, tensor_leaves
from analyzers.guest.models.model_types import ModelUnderTest, Uncompiled, Unsupported
from tests.analyzers.guest.models.small import model_of, numbers, small_network

ON_CPU = (
    "eager",
    "float64",
    "onednn-off",
    "decompositions",
    "onnxruntime",
    "onnxruntime-torchscript",
    "jit-trace",
    "export",
    "channels-last",
)
LOW_PRECISION = {"bfloat16": 2e-2, "float16": 2e-3}


def ran(name: str, model: ModelUnderTest) -> list[numpy.ndarray]:
    run = EXECUTIONS[name].prepared(model)
    return [as_numpy(leaf) for leaf in tensor_leaves(run(*model.inputs, **model.keywords))]


@pytest.mark.parametrize("name", [*ON_CPU, "jit-script"])
def test_network_gives_the_same_and_stays_as_it_is(name: str) -> None:
    model = small_network()
    given = model.inputs[0].clone()
    before = {key: value.clone() for key, value in model.module.state_dict().items()}
    with torch.no_grad():
        expected = as_numpy(model.module(*model.inputs))
    assert EXECUTIONS[name].unavailable() is None
    assert numpy.abs(ran(name, model)[0] - expected).max() < 1e-5
    after = model.module.state_dict()
    assert all(torch.equal(value, after[key]) for key, value in before.items())
    assert after["0.weight"].is_contiguous()
    assert torch.equal(model.inputs[0], given)


@pytest.mark.parametrize("name", ["onnxruntime", "onnxruntime-torchscript", "jit-trace", "export"])
def test_nested_arguments_and_results_keep_their_order(name: str) -> None:
    def forward(first: torch.Tensor, *, pair: list[torch.Tensor], factor: float) -> object:
        return {"z": first * factor, "a": (pair[1], pair[0] + first)}

    given, one, two = numbers(3), torch.ones(3), torch.full((3,), 2.0)
    found = ran(name, model_of(forward, given, pair=[one, two], factor=3.0))
    for leaf, expected in zip(found, (given * 3, two, one + given), strict=True):
        assert numpy.allclose(leaf, as_numpy(expected))


def test_refusals_of_native_code_are_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    model = model_of(
        lambda given: torch.nn.functional.adaptive_avg_pool2d(given, 3), numbers(1, 2, 7, 7)
    )
    with pytest.raises(Unsupported, match="adaptive_avg_pool2d"):
        ran("onnxruntime-torchscript", model)
    written = capfd.readouterr()
    assert (written.out, written.err) == ("", "")


@pytest.mark.parametrize("name", ["onnxruntime", "onnxruntime-torchscript"])
def test_operators_without_export_are_unsupported(name: str) -> None:
    with pytest.raises(Unsupported, match="bessel_j0"):
        ran(name, model_of(torch.special.bessel_j0, numbers(3)))


def test_data_dependent_control_flow_is_unsupported() -> None:
    model = model_of(lambda given: given + 1 if given.sum() > 0 else given, numbers(3))
    with pytest.raises(Unsupported):
        ran("onnxruntime", model)


class ScriptedBranch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() > 0):
            return x + 1
        return x - 1 if torch.jit.is_scripting() else x


def test_script_keeps_branches_and_what_it_takes_for_itself() -> None:
    run = EXECUTIONS["jit-script"].prepared(ModelUnderTest(ScriptedBranch(), (torch.ones(2),)))
    assert torch.equal(run(torch.ones(2)), torch.full((2,), 2.0))
    assert torch.equal(run(-torch.ones(2)), torch.full((2,), -2.0))
    with pytest.raises(Unsupported, match="variable number of arguments"):
        ran("jit-script", model_of(torch.relu, numbers(3)))


def test_exports_refuse_other_sizes_and_values() -> None:
    model = model_of(lambda given, factor: given * factor, numbers(3), 2.0)
    run = EXECUTIONS["onnxruntime-torchscript"].prepared(model)
    assert numpy.allclose(run(torch.ones(3), 2.0), 2.0)
    for other in ((torch.ones(4), 2.0), (torch.ones(3), 3.0)):
        with pytest.raises(Unsupported, match="prepared for"):
            run(*other)


def test_reference_widens_what_asks_for_single_precision() -> None:
    tiny = 2.0**-40

    def forward(given: torch.Tensor) -> torch.Tensor:
        return given.to(torch.float32).float() + torch.full((1,), tiny, dtype=torch.float32)

    found = ran("float64", model_of(forward, torch.ones(1)))
    assert found[0][0] - 1.0 == tiny
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize("name", ON_CPU)
def test_execution_leaves_arguments_and_folders_as_they_are_and_says_nothing(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = numbers(1, 2, 3, 3)
    model = model_of(lambda each: each.mul_(2.0) if each.shape[0] else each, given.clone())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ran(name, model)
    written = capfd.readouterr()
    left = [each for each in tmp_path.iterdir() if "inductor" not in each.name]
    assert torch.equal(model.inputs[0], given)
    assert (written.out, written.err, left) == ("", "", [])


@pytest.mark.parametrize("name", ["onednn-off", "decompositions"])
def test_switches_are_seen_inside_only(name: str) -> None:
    seen: list[bool] = []

    def forward(given: torch.Tensor) -> torch.Tensor:
        seen.append(torch.backends.mkldnn.enabled)  # type: ignore[attr-defined]
        return given

    before = torch.backends.mkldnn.enabled  # type: ignore[attr-defined]
    ran(name, model_of(forward, numbers(1)))
    assert seen == [before and name != "onednn-off"]
    assert torch.backends.mkldnn.enabled == before  # type: ignore[attr-defined]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_gpu_execution_says_that_there_is_none() -> None:
    assert EXECUTIONS["cuda"].unavailable() == "no GPU is here"


@pytest.mark.parametrize("name", LOW_PRECISION)
def test_low_precision_runs_without_a_gpu(name: str) -> None:
    model = small_network()
    with torch.no_grad():
        expected = as_numpy(model.module(*model.inputs))
    assert EXECUTIONS[name].unavailable() is None
    assert 0 < numpy.abs(ran(name, model)[0] - expected).max() < LOW_PRECISION[name]
    assert model.module[0].weight.dtype is torch.float32
    with pytest.raises(Unsupported, match="not supported"):
        ran(name, model_of(torch.linalg.inv, torch.eye(3)))


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a C++ compiler")
def test_recurrent_layers_are_told_as_uncompiled() -> None:
    torch.manual_seed(0)
    model = ModelUnderTest(torch.nn.LSTM(2, 3).eval(), (numbers(4, 1, 2),))
    with pytest.raises(Uncompiled, match="LSTM"):
        EXECUTIONS["inductor"].prepared(model)


def test_other_frameworks_have_their_own_eager() -> None:
    class KerasEager(type(EXECUTIONS["eager"])):  # type: ignore[misc]
        name = "other-eager"

    register(KerasEager())
    try:
        model = ModelUnderTest(object(), (), framework="other")
        assert execution_of("eager", model).name == "other-eager"
    finally:
        del EXECUTIONS["other-eager"]
