import os

import numpy
import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras

from analyzers.guest.inputs.recipes import evaluate, parse
from analyzers.guest.models.keras.keras_inputs import NoKerasInputs, inputs_for

pytestmark = pytest.mark.slow

layers = keras.layers


def values(module):
    return evaluate(parse(inputs_for(module)), {})


def test_open_sizes_are_small() -> None:
    module = keras.Sequential([keras.Input((None, None, 3)), layers.Conv2D(2, 3)])
    assert inputs_for(module) == "(array((2, 8, 8, 3), seed=1, low=-1, high=1),)"


def test_size_grows_until_the_model_runs() -> None:
    first = [keras.Input((None, None, 3)), layers.MaxPooling2D(16)]
    module = keras.Sequential([*first, layers.Conv2D(2, 1), layers.GlobalAveragePooling2D()])
    assert "16, 16, 3" in inputs_for(module)


def test_indices_of_an_embedding_are_within_it() -> None:
    module = keras.Sequential([keras.Input((None,)), layers.Embedding(7, 4), layers.LSTM(3)])
    recipe = inputs_for(module)
    assert recipe == "(array((2, 8), dtype='int32', seed=1, low=0, high=6),)"
    assert values(module)[0].max() <= 6


def test_nesting_of_inputs_is_kept() -> None:
    one, two = keras.Input((4,), name="one"), keras.Input((3,), name="two")
    module = keras.Model({"one": one, "two": two}, layers.Concatenate()([one, two]))
    (given,) = values(module)
    assert {name: each.shape for name, each in given.items()} == {"one": (2, 4), "two": (2, 3)}
    several = keras.Model([one, two], layers.Concatenate()([one, two]))
    assert [each.shape for each in values(several)[0]] == [(2, 4), (2, 3)]


class Images(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.conv = layers.Conv2D(4, 3)
        self.norm = layers.BatchNormalization()
        self.pool = layers.GlobalMaxPooling2D()

    def call(self, images, training=False):
        return self.pool(self.norm(self.conv(images), training=training))


class Words(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = layers.Embedding(12, 4)
        self.recurrent = layers.GRU(3)

    def call(self, tokens):
        return self.recurrent(self.embedding(tokens))


def test_class_is_tried_with_what_its_first_layer_takes() -> None:
    assert values(Images())[0].shape == (2, 8, 8, 3)
    found = values(Words())[0]
    assert found.dtype == numpy.int32
    assert 0 <= found.min() <= found.max() < 12


def test_model_that_takes_nothing_has_none() -> None:
    class Never(keras.Model):
        def call(self, x):
            raise ValueError("never")

    with pytest.raises(NoKerasInputs, match="never"):
        inputs_for(Never())
