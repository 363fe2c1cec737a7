import numpy as np
import torch


#: x: tensors(dtype="float32", shape=("b", "t", "c")) LIKELY
#: hidden: froms([4, 8, 16, 32]) LIKELY
#: mode: froms(["same", "valid", "full"]) LIKELY
def google(x, hidden, mode="same"):
    """Encode.

    Args:
        x (torch.Tensor): Input of shape (B, T, C).
        hidden (int): Number of units, must be at least 2.
        mode (str): One of 'same', 'valid' or 'full'. Defaults to 'same'.

    Returns:
        torch.Tensor: Output of shape (B, T, hidden).
    """
    return x


#: points: np_arrays(dtype="float32", shape=("n_points", 2)) LIKELY
#: weights: np_arrays(shape=("n_points",), min=0, max=1) GUESS
#: k: absent
#: axis: froms([0, 1]) LIKELY
def numpy_style(points, weights, k=3, axis=0):
    """Cluster points.

    Parameters
    ----------
    points : ndarray of shape (n_points, 2)
        The points.
    weights : ndarray, shape (n_points,)
        Weights between 0 and 1.
    k : int, optional
        Number of clusters.
    axis : {0, 1}
        Along which.

    Returns
    -------
    ndarray of shape (k, 2)
    """
    return points[:k]


#: logits: tensors(dtype="float32", shape=("n", "v")) LIKELY
#: temperature: floats(min=0, max=2.0, exclude_min=True) LIKELY
#: top: ints(min=1, max=16) GUESS
def sphinx(logits, temperature, top):
    """Sample.

    :param torch.Tensor logits: scores, shape [N, V]
    :param float temperature: must be greater than 0
    :param top: how many are kept
    :type top: int
    :return: indices
    """
    return logits / temperature


#: p: floats(min=0, max=1) LIKELY
#: strength: floats(min=0, max=1, exclude_min=True) LIKELY
#: factor: ints(min=1, max=2) LIKELY
def ranged(p, strength, factor):
    """Mix.

    Args:
        p (float): probability in the range [0, 1].
        strength (float): in (0, 1].
        factor (int): positive integer.
    """
    return p


#: images: tensors(dtype="float32", shape=("b", "c", "h", "w"), min=0, max=1) LIKELY
#: targets: tensors(shape=("n", 4)) GUESS
def compact(images, targets):
    """Loss.

    Args:
        images: Tensor BxCxHxW of inputs
        targets: N x 4 boxes
    """
    return images


#: boxes: tensors(dtype="float32", shape=("n", 4)) LIKELY
#: scores: tensors(dtype="float32", shape=("n",)) LIKELY
def leading(boxes, scores):
    """NMS.

    Args:
        boxes: (N, 4) tensor of corners.
        scores: (N,) tensor.
    """
    return boxes


#: n: ints(min=3, max=7) LIKELY
#: x: tensors(dtype="float32", shape=(ints(min=2, max=4), 5), min=0, max=1) LIKELY
def examples(n, x):
    """Repeat.

    >>> examples(3, torch.zeros(2, 5))
    >>> examples(7, x=torch.rand(4, 5))
    """
    return x.repeat(n, 1)


#: data: tensors(dtype="float32") GUESS
#: callback: callables() GUESS
#: alpha: floats(min=0, max=1) GUESS
def unsure(data, callback, alpha):
    """Do.

    Args:
        data: whatever comes
        callback (callable): called at the end
        alpha (float, optional): a factor
    """
    return data


#: x: tensors(dtype="float32", shape=("batch", "time", "dim")) LIKELY
#: lengths: tensors(shape=("batch",)) GUESS
def with_hint(x: torch.Tensor, lengths: torch.Tensor):
    """Pool.

    Args:
        x: features of shape (batch, time, dim)
        lengths: tensor of shape (batch,)
    """
    return x


#: size: anys(ints(min=1, max=4), None) GUESS
#: ids: int_lists() GUESS
def mixed_none(size, ids):
    """Crop.

    Args:
        size (int or None): side
        ids (list[int]): which
    """
    return size


class Layer:
    """A layer.

    Args:
        units (int): positive integer, dimensionality of the output.
        rate (float): Fraction to drop, between 0 and 1.
    """

    #: units: froms([4, 8, 16, 32]) LIKELY
    #: rate: floats(min=0, max=1) LIKELY
    def __init__(self, units, rate=0.5):
        self.units = units
        self.rate = rate


#: x: np_arrays(dtype="float32") GUESS
def no_docstring(x):
    return np.asarray(x).sum()
