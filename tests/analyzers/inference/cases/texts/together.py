from typing import Optional, Union

import keras
import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


#: pred: tensors(dtype="float32", shape=("b", "c", "h", "w")) LIKELY
#: target: tensors(shape=("b", "c", "h", "w")) GUESS
#: smooth: floats(min=0, max=10.0, exclude_min=True) STRONG
#: reduction: froms(["mean", "sum"]) STRONG
#: require pred.shape == target.shape
def dice(pred: Tensor, target: Tensor, smooth: float = 1.0, reduction: str = "mean") -> Tensor:
    """Dice loss.

    Args:
        pred: predictions of shape (B, C, H, W)
        target: labels of shape (B, C, H, W)
    """
    if pred.shape != target.shape:
        raise ValueError("shapes")
    if smooth <= 0:
        raise ValueError("smooth")
    if reduction not in ("mean", "sum"):
        raise ValueError(reduction)
    return (pred * target).sum() + smooth


#: q: tensors(dtype="float32", shape=("b", "t", "d")) STRONG
#: k: tensors(shape=("b", "s", "d")) GUESS
#: dropout: floats(min=0, max=1, exclude_max=True) STRONG
def attend(q: Float[Tensor, "b t d"], k: Tensor, dropout: float = 0.0):
    """Attention.

    Args:
        q: queries (B, T, D)
        k: keys of shape (B, S, D)
    """
    if not 0 <= dropout < 1:
        raise ValueError(dropout)
    return q @ k.transpose(1, 2)


#: images: np_arrays(dtype="uint8", shape=("n", "h", "w", "c")) LIKELY
#: size: ints(min=1, max=4) LIKELY
#: require images.shape[1] % size == 0
#: require images.shape[2] % size == 0
def patches(images: np.ndarray, size: int) -> np.ndarray:
    if images.ndim != 4:
        raise ValueError("NHWC")
    n, h, w, c = images.shape
    if h % size or w % size:
        raise ValueError("size")
    return images.reshape(n, h // size, size, w // size, size, c)


#: input_shape: absent
#: num_classes: ints(min=2, max=10) GUESS
#: activation: absent
#: dropout_rate: floats(min=0, max=1, exclude_max=True) LIKELY
def keras_model(input_shape, num_classes, activation="relu", dropout_rate=0.5):
    if dropout_rate < 0 or dropout_rate >= 1:
        raise ValueError(dropout_rate)
    return keras.Sequential([keras.Input(input_shape), keras.layers.Dense(num_classes, activation)])


#: x: tensors(dtype="float32") GUESS
#: left: ints(min=0, max=16) STRONG
#: right: ints(min=0, max=16) STRONG
#: value: absent
def pad(x: Tensor, left: int, right: int, value: Optional[float] = None):
    if left < 0 or right < 0:
        raise ValueError("negative")
    return F.pad(x, (left, right), value=value or 0.0)


#: n: strings() GUESS
def contradiction(n: str):
    if not isinstance(n, int):
        raise TypeError(n)
    return n


#: rate: floats(min=0, max=10.0, exclude_min=True) LIKELY
#: steps: ints(min=1, max=4) LIKELY
def bounded_by_docs(rate: float, steps: int):
    """Warm up.

    Args:
        rate: a positive float
        steps: must be at least 1
    """
    return rate / steps


#: size: ints(min=1, max=4) GUESS
def required_none(size=None):
    if size is None:
        raise ValueError("size")
    return [0] * size


#: size: ints(min=1, max=4) LIKELY
#: kernel: ints(min=1, max=16) STRONG
#: stride: ints(min=1, max=2) STRONG
#: padding: ints(min=0, max=2) STRONG
#: require size + 2 * padding >= kernel
def conv_size(size: int, kernel: int, stride: int = 1, padding: int = 0):
    assert kernel > 0 and stride > 0 and padding >= 0
    assert size + 2 * padding >= kernel
    return (size + 2 * padding - kernel) // stride + 1


#: img: np_arrays(dtype="uint8", shape=(ints(min=8, max=32), ints(min=8, max=32), 3)) GUESS
#: size: anys(ints(min=1, max=4), tuples(ints(min=1, max=16), ints(min=1, max=16))) LIKELY
#: require isinstance(size, (int, tuple))
def crop(img: np.ndarray, size: Union[int, tuple[int, int]]):
    assert isinstance(size, (int, tuple))
    if isinstance(size, int):
        size = (size, size)
    return img[: size[0], : size[1]]


#: x: tensors(dtype="float32", shape=("n", "d")) LIKELY
#: y: tensors(shape=("n",)) GUESS
#: alpha: floats(min=0, max=1) LIKELY
#: require x.shape[0] == y.shape[0]
def mixup(x, y, alpha=0.2):
    """Mix samples.

    Args:
        x (Tensor): inputs of shape (N, D)
        y (Tensor): labels of shape (N,)
        alpha (float): non-negative
    """
    if x.size(0) != y.size(0):
        raise ValueError
    return x


class Encoder(nn.Module):
    """Encodes.

    Args:
        dim (int): width of the model
        heads (int): how many heads; dim must be divisible by it
    """

    #: dim: froms([4, 8, 16, 32]) LIKELY
    #: heads: absent
    #: dropout: floats(min=0.0, max=1.0) STRONG
    #: norm: froms(["post", "pre"]) STRONG
    #: require dim % heads == 0
    def __init__(self, dim: int, heads: int = 4, dropout: float = 0.1, norm: str = "pre"):
        super().__init__()
        if dim % heads:
            raise ValueError("dim must be divisible by heads")
        assert norm in {"pre", "post"}
        assert 0.0 <= dropout <= 1.0
        self.dim = dim

    #: x: tensors(dtype="float32", shape=("b", "n", "d")) STRONG
    #: mask: absent
    #: require x.shape[-1] == self.dim
    def forward(self, x: Float[Tensor, "b n d"], mask: Optional[Tensor] = None):
        assert x.shape[-1] == self.dim, "wrong width"
        return x
