import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras import layers


def two_towers(left: int, right: int) -> keras.Model:
    """Scores pairs of feature vectors of the given sizes."""
    a, b = keras.Input((left,)), keras.Input((right,))
    x = layers.Dense(8, activation="relu")(a)
    y = layers.Dense(8, activation="relu")(b)
    both = layers.merge([x, y], mode="concat")
    return keras.Model([a, b], layers.Dense(1)(both))
