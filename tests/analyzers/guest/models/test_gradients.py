"""Wrong backward kernels are told with their parameter; models that are right never."""

import importlib

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.executions.torch_executions import EPS32, run_without_gradients
from analyzers.guest.models.gradients import gradient_departures
from analyzers.guest.models.model_extraction import prepared
from analyzers.guest.models.model_types import GRADIENT

aten = torch.ops.aten


@pytest.mark.parametrize("name", ["lenet", "squeezenet", "pointnet", "lstm", "transformer"])
def test_models_of_the_zoo_have_one_gradient(name):
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    torch.manual_seed(0)
    assert gradient_departures(prepared(zoo.build(), zoo.inputs())) == []


class WrongBackwardKernel(TorchDispatchMode):
    """One backward kernel whose results are changed."""

    def __init__(self, kernel, change):
        super().__init__()
        self.wrong = (kernel, change)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        return self.wrong[1](found) if func is self.wrong[0] else found


@pytest.fixture
def faulty(monkeypatch):
    """Makes a kernel wrong in the execution without oneDNN."""

    class Faulty:
        name, eps, framework, foreign = "onednn-off", EPS32, "torch", False

        def __init__(self, kernel, change):
            self.wrong = (kernel, change)

        def unavailable(self):
            return None

        def prepared(self, model):
            run = run_without_gradients(model.module)

            def call(*inputs, **keywords):
                with WrongBackwardKernel(*self.wrong):
                    return run(*inputs, **keywords)

            return call

    return lambda *wrong: monkeypatch.setitem(EXECUTIONS, "onednn-off", Faulty(*wrong))


def network():
    torch.manual_seed(0)
    layers = nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 2)
    return prepared(nn.Sequential(*layers), (torch.rand(3, 4),))


def shortened(found):
    changed = found[1].clone()
    changed[-1] = 0.0
    return (found[0], changed, *found[2:])


@pytest.mark.parametrize(
    ("kernel", "change", "layer"),
    [
        (aten.tanh_backward.default, lambda found: found * 1.0001, "0"),
        (aten.native_layer_norm_backward.default, shortened, "2"),
    ],
)
def test_a_wrong_backward_kernel_is_told_by_the_last_parameter_before_it(
    faulty, kernel, change, layer
):
    faulty(kernel, change)
    (found,) = gradient_departures(network())
    assert (found.verdict.rule, found.verdict.execution) == (GRADIENT, "onednn-off")
    assert f"{layer}." in found.verdict.detail
    assert found.place.name == layer
    assert found.place.source.startswith("torch.nn.")


def test_a_backward_kernel_that_fails_is_told(faulty):
    def failing(found):
        raise RuntimeError("not implemented")

    faulty(aten.tanh_backward.default, failing)
    (found,) = gradient_departures(network())
    assert found.verdict.rule == GRADIENT
    assert "not implemented" in found.verdict.detail


def test_what_does_not_train_is_not_derived():
    frozen = network()
    frozen.module.requires_grad_(False)
    assert gradient_departures(frozen) == []
    assert gradient_departures(network(), ["onnxruntime"]) == []
