import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras


def build_mlp(features: int, units: int = 32, classes: int = 2) -> keras.Model:
    """Two hidden layers, the second with half the units of the first."""
    if units < 2:
        raise ValueError("at least two units")
    return keras.Sequential(
        [
            keras.Input((features,)),
            keras.layers.Dense(units, activation="relu"),
            keras.layers.Dense(units / 2, activation="relu"),
            keras.layers.Dense(classes, activation="softmax"),
        ]
    )
