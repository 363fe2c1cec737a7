import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras import layers


#@arg(shape): tuples(ints(min=8, max=40), ints(min=8, max=40), ints(min=1, max=3))
#@arg(classes): ints(min=2, max=10)
#@arg(filters): ints(min=1, max=4)
#@timeout(20)
def build_cnn(shape, classes, filters=4):
    """A small classifier of pictures from 8 x 8, shape: (height, width, channels)."""
    if len(shape) != 3:
        raise ValueError("shape is height, width, channels")
    inputs = keras.Input(shape)
    x = inputs
    for level in range(3):
        x = layers.Conv2D(filters * 2**level, 3, activation="relu", padding="same")(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))
