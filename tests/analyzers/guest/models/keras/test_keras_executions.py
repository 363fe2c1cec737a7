import os
import signal
import sys
from pathlib import Path

import numpy
import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras

from analyzers.guest.models.executions.execution_registry import EXECUTIONS, execution_of
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_isolated
from analyzers.guest.models.keras import keras_executions as own
from analyzers.guest.models.keras.keras_executions import RaisedInBackend, warm_backend
from analyzers.guest.models.model_types import ModelUnderTest, Unsupported

pytestmark = pytest.mark.slow

layers = keras.layers


def convolutional() -> ModelUnderTest:
    keras.utils.set_random_seed(1)
    module = keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )
    return ModelUnderTest(module, (drawn(2, 8, 8, 2),), {}, "keras")


def drawn(*shape: int) -> numpy.ndarray:
    return numpy.random.default_rng(0).standard_normal(shape).astype("float32")


def test_other_backend_gives_the_same() -> None:
    model = convolutional()
    found = EXECUTIONS["keras-numpy"].prepared(model)(*model.inputs)
    assert found.dtype == numpy.float32
    numpy.testing.assert_allclose(found, model.module(*model.inputs).detach(), atol=1e-5)


def test_reference_is_in_float64() -> None:
    model = convolutional()
    found = execution_of("float64", model).prepared(model)(*model.inputs)
    assert found.dtype == numpy.float64
    assert keras.config.floatx() == "float32"
    error = numpy.abs(execution_of("eager", model).prepared(model)(*model.inputs) - found).max()
    assert 0 < error < 1e-5


def test_own_backend_is_eager() -> None:
    said = EXECUTIONS[f"keras-{keras.backend.backend()}"].unavailable()
    assert said is not None
    assert "runs on anyway" in said


def test_model_of_torch_is_unsupported() -> None:
    with pytest.raises(Unsupported):
        EXECUTIONS["keras-numpy"].prepared(ModelUnderTest(object(), ()))


def test_several_inputs_and_keywords_travel() -> None:
    one, two = keras.Input((4,)), keras.Input((3,), dtype="int32")
    inside = layers.Flatten()(layers.Embedding(5, 2)(two))
    module = keras.Model({"a": one, "b": two}, [layers.Concatenate()([one, inside]), inside])
    given = {"a": drawn(2, 4), "b": numpy.array([[0, 1, 4]] * 2, dtype="int32")}
    model = ModelUnderTest(module, (given,), {}, "keras")
    found = EXECUTIONS["keras-numpy"].prepared(model)(given)
    assert [each.shape for each in found] == [(2, 10), (2, 6)]
    numpy.testing.assert_array_equal(found[0][:, :4], given["a"])


def test_what_a_backend_raises_keeps_its_name() -> None:
    model = convolutional()
    call = EXECUTIONS["keras-numpy"].prepared(model)
    with pytest.raises(RaisedInBackend) as raised:
        call(drawn(2, 8, 8, 5))
    assert type(raised.value).__name__ == "ValueError"
    assert call(*model.inputs).shape == (2, 3)


def test_code_for_one_backend_is_left_out(tmp_path, monkeypatch) -> None:
    (tmp_path / "torchy_model.py").write_text(
        "import keras, torch\n"
        "class Torchy(keras.Model):\n"
        "    def call(self, x):\n"
        "        return torch.relu(x)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import torchy_model  # type: ignore[import-not-found]

    model = ModelUnderTest(torchy_model.Torchy(), (drawn(2, 2),), {}, "keras")
    with pytest.raises(Unsupported, match="torch"):
        EXECUTIONS["keras-numpy"].prepared(model)


def test_model_of_a_class_travels(tmp_path, monkeypatch) -> None:
    (tmp_path / "classy_model.py").write_text(
        "import keras\n"
        "class Block(keras.layers.Layer):\n"
        "    def __init__(self, units, **more):\n"
        "        super().__init__(**more)\n"
        "        self.dense = keras.layers.Dense(units)\n"
        "    def call(self, x):\n"
        "        return keras.ops.relu(self.dense(x))\n"
        "class Classy(keras.Model):\n"
        "    def __init__(self, units=4):\n"
        "        super().__init__()\n"
        "        self.blocks = [Block(units) for _ in range(2)]\n"
        "    def call(self, x, scale=1.0):\n"
        "        for block in self.blocks:\n"
        "            x = block(x)\n"
        "        return {'out': x * scale}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import classy_model  # type: ignore[import-not-found]

    warm_backend("numpy").close()
    model = ModelUnderTest(classy_model.Classy(), (drawn(2, 3),), {"scale": 2.0}, "keras")
    wanted = model.module(*model.inputs, **model.keywords)["out"].detach()
    found = EXECUTIONS["keras-numpy"].prepared(model)(*model.inputs, **model.keywords)["out"]
    numpy.testing.assert_allclose(found, wanted, atol=1e-5)
    wide = execution_of("float64", model).prepared(model)(*model.inputs, **model.keywords)["out"]
    assert wide.dtype == numpy.float64
    numpy.testing.assert_allclose(wide, wanted, atol=1e-5)


@pytest.mark.parametrize(
    "program", ["/bin/false", "/nowhere/python", "KILLED"], ids=["ends", "missing", "dies"]
)
def test_child_that_does_not_start_is_left_out(program, monkeypatch, tmp_path) -> None:
    if program == "KILLED":
        program = str(tmp_path / "aborts")
        Path(program).write_text("#!/bin/sh\nkill -ABRT $$\n")
        Path(program).chmod(0o755)
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(own, "_CHILDREN", {})
    model = convolutional()
    found = run_isolated(model, ["keras-numpy"])
    assert found["keras-numpy"].status == "unsupported"
    assert judge(model, found) == []


def test_child_that_was_killed_is_started_anew_and_ends_when_its_pipe_does() -> None:
    model = convolutional()
    call = EXECUTIONS["keras-numpy"].prepared(model)
    os.kill(warm_backend("numpy").process, 9)
    with pytest.raises(Unsupported):
        call(*model.inputs)
    assert call(*model.inputs).shape == (2, 3)
    found = warm_backend("numpy")
    process = found.process
    found.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_child_that_does_not_answer_is_left_out_and_ends() -> None:
    model = convolutional()
    call = EXECUTIONS["keras-numpy"].prepared(model)
    assert call(*model.inputs).shape == (2, 3)
    found = warm_backend("numpy")
    process = found.process
    os.kill(process, signal.SIGSTOP)
    with pytest.raises(Unsupported, match="numpy took longer than"):
        found.ask({}, [], 0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert call(*model.inputs).shape == (2, 3)
