import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras


class TimePooling(keras.layers.Layer):
    """Mean of every two steps: (batch, time, features) -> (batch, time // 2, features)."""

    def call(self, inputs):
        steps = inputs.shape[1] // 2 * 2
        return (inputs[:, 0:steps:2] + inputs[:, 1:steps:2]) / 2

    #@arg(input_shape): tuples(anys(None, ints(min=1, max=4)), ints(min=2, max=50), ints(min=1, max=8))
    #@ensure(all(side is None or type(side) is int for side in result))
    def compute_output_shape(self, input_shape):
        batch, steps, features = input_shape
        return (batch, steps / 2, features)
