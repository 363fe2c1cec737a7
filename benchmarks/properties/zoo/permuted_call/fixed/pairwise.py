import os

os.environ.setdefault("KERAS_BACKEND", "torch")

from keras import ops


def pairwise(x):
    """Dot products of all pairs of steps; x: (batch, time, features) -> (batch, time, time)."""
    assert len(x.shape) == 3
    return ops.matmul(x, ops.transpose(x, (0, 2, 1)))
