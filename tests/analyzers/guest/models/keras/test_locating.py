import os
import sys
from types import ModuleType

import numpy
import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras

from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_isolated
from analyzers.guest.models.keras.keras_executions import close_all
from analyzers.guest.models.keras.layer_location import (
    first_departing_keras_layer,
    keras_layer_source,
)
from analyzers.guest.models.model_types import ModelUnderTest

pytestmark = pytest.mark.slow

layers = keras.layers
SOURCE = """\
import keras
from keras import layers


def network():
    return keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.AveragePooling2D(2, padding="same"),
            layers.Conv2D(5, 2),
            layers.LayerNormalization(),
            layers.Flatten(),
            layers.Dense(3, activation="softmax", name="head"),
        ]
    )


class Block(layers.Layer):
    def __init__(self, width, **more):
        super().__init__(**more)
        self.first = layers.Dense(width)
        self.last = layers.Dense(width, activation="gelu")

    def call(self, x):
        return self.last(self.first(x))


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(4) for _ in range(2)]
        self.head = layers.LayerNormalization()

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)
"""


@pytest.fixture(scope="module", autouse=True)
def own_backends() -> None:
    """Backends that tests before these started do not find this project."""
    close_all()


@pytest.fixture
def project(tmp_path, monkeypatch) -> ModuleType:
    (tmp_path / "networks.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("networks", None)
    import networks  # type: ignore[import-not-found]

    keras.utils.set_random_seed(3)
    return networks


def drawn(*shape: int) -> numpy.ndarray:
    return numpy.random.default_rng(0).standard_normal(shape).astype("float32")


def wrong(original):
    """A kernel whose result is off by a tenth of a percent in one place."""

    def kernel(*args, **kwargs):
        found = original(*args, **kwargs)
        return found * (1 + 0.001 * (found == found.max()))

    return kernel


@pytest.mark.parametrize(
    ("kernel", "layer", "line"),
    [
        ("conv", "conv2d", 'layers.Conv2D(4, 3, activation="relu"),'),
        ("average_pool", "average_pooling2d", 'layers.AveragePooling2D(2, padding="same"),'),
        ("softmax", "head", 'layers.Dense(3, activation="softmax", name="head"),'),
    ],
)
def test_wrong_kernel_is_found_in_its_layer(project, monkeypatch, kernel, layer, line) -> None:
    model = ModelUnderTest(project.network(), (drawn(2, 8, 8, 2),), {}, "keras")
    nn = keras.src.backend.torch.nn
    monkeypatch.setattr(nn, kernel, wrong(getattr(nn, kernel)))
    found = run_isolated(model, ["keras-numpy"])
    assert [each.execution for each in judge(model, found)] == ["keras-numpy"]
    place = first_departing_keras_layer(model, "keras-numpy")
    assert place is not None
    assert place.place.name == layer
    assert place.place.path == "networks.py"
    assert SOURCE.splitlines()[place.place.line - 1].strip() == line
    assert place.ratio > 20
    assert place.errors[-1] == (layer, place.ratio)
    assert all(ratio < 20 for _, ratio in place.errors[:-1])
    assert place.source.startswith("keras.layers.")


def test_layer_of_a_class_goes_by_its_attribute(project, monkeypatch) -> None:
    model = ModelUnderTest(project.Network(), (drawn(2, 4),), {}, "keras")
    model.module(model.inputs[0])
    nn = keras.src.backend.torch.nn
    monkeypatch.setattr(nn, "gelu", wrong(nn.gelu))
    place = first_departing_keras_layer(model, "keras-numpy")
    assert place is not None
    assert (place.place.name, place.place.path) == ("blocks.0.last", "networks.py")
    assert 'activation="gelu"' in SOURCE.splitlines()[place.place.line - 1]


def test_right_kernels_are_silent(project) -> None:
    for module, shape in ((project.network(), (2, 8, 8, 2)), (project.Network(), (2, 4))):
        model = ModelUnderTest(module, (drawn(*shape),), {}, "keras")
        assert judge(model, run_isolated(model, ["keras-numpy", "keras-jax"])) == []
        assert first_departing_keras_layer(model, "keras-numpy") is None


@pytest.mark.parametrize(
    "layer",
    [
        layers.Conv2D(8, 3, activation="relu", padding="same"),
        layers.Dense(3, kernel_initializer="he_normal"),
        layers.LSTM(4, return_sequences=True),
        layers.MaxPooling2D(2, padding="same"),
        layers.MultiHeadAttention(2, 3),
        layers.UpSampling2D((2, 3)),
    ],
)
def test_layer_is_spelled_as_a_call(layer) -> None:
    again = eval(keras_layer_source(layer), {"keras": keras})
    own, other = layer.get_config(), again.get_config()
    assert {**own, "name": ""} == {**other, "name": ""}


def test_layer_of_layers_has_no_spelling() -> None:
    assert keras_layer_source(layers.Bidirectional(layers.GRU(3))) == ""
