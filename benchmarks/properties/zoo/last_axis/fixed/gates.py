import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras


class Gate(keras.layers.Layer):
    """Gates from 0 to 1, computed from the features."""

    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")

    def call(self, inputs):
        return keras.ops.sigmoid(keras.ops.matmul(inputs, self.kernel))


#@arg(inputs): tensors(dtype="float32", shape=(ints(min=1, max=3), "t", "f"), min=-1, max=1)
#@arg(units): ints(min=1, max=6)
#@ensure(result.shape[-1] == units)
def gated(inputs, units):
    """Gates for every step of (batch, time, features): (batch, time, units)."""
    return Gate(units)(inputs)
