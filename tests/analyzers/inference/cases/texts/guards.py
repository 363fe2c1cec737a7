import math
import os
import sys

import numpy as np
import torch
import torch.nn as nn

MODES = ("nearest", "bilinear")
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU}


#: dense_blocks: absent
#: dense_layers: absent
#: nb_classes: ints(min=2, max=10) GUESS
#: compression: floats(min=0.0, max=1.0, exclude_min=True) LIKELY
#: depth: absent
#: require type(dense_layers) is not list or len(dense_layers) == dense_blocks
def densenet(dense_blocks=3, dense_layers=-1, nb_classes=None, compression=1.0, depth=40):
    if nb_classes == None:
        raise Exception("Please define number of classes (e.g. num_classes=10).")
    if compression <= 0.0 or compression > 1.0:
        raise Exception("Compression have to be a value between 0.0 and 1.0.")
    if type(dense_layers) is list:
        if len(dense_layers) != dense_blocks:
            raise AssertionError("Dense blocks must be the same as layers")
    elif dense_layers == -1:
        dense_layers = (depth - 4) / 3
    return dense_layers


#: n: ints(min=1, max=4) STRONG
def positive(n: int):
    if n <= 0:
        raise ValueError("n must be positive")
    return torch.zeros(n)


#: value: floats(min=0.0, max=1.0, exclude_max=True) STRONG
def chained(value: float):
    assert 0.0 <= value < 1.0, value
    return value


#: k: ints(min=1, max=4) GUESS
def untyped_bound(k):
    if k < 1:
        raise ValueError(k)
    return k


#: count: ints(min=1, max=4) STRONG
def checked_type(count):
    if not isinstance(count, int) or count <= 0:
        raise TypeError("count")
    return [0] * count


#: x: anys(floats(min=-11.0, max=-1), floats(min=1, max=10.0)) STRONG
def either_side(x: float):
    if -1 < x < 1:
        raise ValueError("x must be outside of (-1, 1)")
    return math.sqrt(x * x - 1)


#: mode: froms(["train", "val", "test"]) STRONG
def one_of(mode):
    if mode not in ("train", "val", "test"):
        raise ValueError(mode)
    return mode


#: mode: froms(["nearest", "bilinear"]) STRONG
def one_of_constant(mode="nearest"):
    if mode not in MODES:
        raise ValueError(f"mode {mode} is not one of {MODES}")
    return mode


#: activation: froms(["relu", "gelu"]) STRONG
def one_of_keys(activation: str):
    if activation not in ACTIVATIONS:
        raise KeyError(activation)
    return ACTIVATIONS[activation]()


#: reduction: froms(["mean", "sum", "none", None]) STRONG
#: x: tensors(dtype="float32") GUESS
def chain(reduction, x):
    if reduction == "mean":
        return x.mean()
    elif reduction == "sum":
        return x.sum()
    elif reduction is None or reduction == "none":
        return x
    else:
        raise ValueError(reduction)


#: kind: froms(["a", "b"]) STRONG
def returned_chain(kind):
    if kind == "a":
        return 1
    if kind == "b":
        return 2
    raise NotImplementedError(kind)


#: norm: froms(["batch", "layer", "group"]) STRONG
def matched(norm):
    match norm:
        case "batch":
            return nn.BatchNorm2d
        case "layer" | "group":
            return nn.LayerNorm
        case _:
            raise ValueError(norm)


#: activation: froms(["relu", "gelu"]) LIKELY
def looked_up(activation):
    return ACTIVATIONS[activation]()


#: name: froms(["adam", "sgd"]) LIKELY
def local_table(name: str):
    table = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    return table[name]


#: phase: froms(["train", "val"]) LIKELY
def branches(phase):
    if phase == "train":
        return True
    elif phase == "val":
        return False


#: embed_dim: froms([4, 8, 16, 32]) LIKELY
#: num_heads: froms([1, 2, 4]) LIKELY
#: require embed_dim % num_heads == 0
def divides(embed_dim: int, num_heads: int):
    assert embed_dim % num_heads == 0
    return embed_dim // num_heads


#: width: froms([8, 16, 32]) STRONG
def multiple(width: int):
    if width % 8 != 0 or width < 8:
        raise ValueError(width)
    return width


#: low: floats(min=0.01, max=10.0) LIKELY
#: high: floats(min=0.01, max=10.0) LIKELY
#: require low < high
def ordered(low: float, high: float):
    if low >= high:
        raise ValueError("empty range")
    return high - low


#: xs: lists() GUESS
#: ys: lists() GUESS
#: require len(xs) == len(ys)
def same_length(xs: list, ys: list):
    if len(xs) != len(ys):
        raise ValueError("lengths differ")
    return list(zip(xs, ys))


#: pred: tensors(dtype="float32") GUESS
#: target: tensors() GUESS
#: require pred.shape == target.shape
def same_shape(pred, target):
    if pred.shape != target.shape:
        raise ValueError("shapes differ")
    return ((pred - target) ** 2).mean()


#: x: tensors(dtype="float32", shape=("_", "_", "_", "_")) LIKELY
def rank(x: torch.Tensor):
    if x.dim() != 4:
        raise ValueError("expected BCHW")
    return x.flatten(1)


#: img: anys(np_arrays(dtype="uint8", shape=("_", "_")), np_arrays(dtype="uint8", shape=("_", "_", "_"))) LIKELY
def ranks(img: np.ndarray):
    if img.ndim not in (2, 3):
        raise ValueError(img.shape)
    return img.mean()


#: x: tensors(dtype="float32", shape=("_", 3, "_", "_")) LIKELY
def channels(x: torch.Tensor):
    assert len(x.shape) == 4 and x.size(1) == 3
    return x


#: m: np_arrays(shape=(3, 3)) GUESS
def whole_shape(m: np.ndarray):
    if m.shape != (3, 3):
        raise ValueError("not a 3x3 matrix")
    return np.linalg.det(m)


#: board: np_arrays(dtype="float32", shape=("...", 8, 8)) LIKELY
def last_dims(board: np.ndarray):
    assert board.shape[-2:] == (8, 8)
    return board.sum((-2, -1))


#: x: tensors(dtype=froms(["float32", "float64"]), shape=("_",)) LIKELY
def dtype(x: torch.Tensor):
    if x.dtype not in (torch.float32, torch.float64):
        raise TypeError(x.dtype)
    if x.ndim != 1:
        raise ValueError
    return x


#: x: tensors(dtype="float32", shape=("b", 3, "h", "w")) LIKELY
def unpacked(x):
    b, c, h, w = x.shape
    assert c == 3
    return torch.zeros(b, c, h // 2, w // 2)


#: q: tensors(shape=("b", "t", "d")) GUESS
#: k: tensors(shape=("b2", "s", "d2")) GUESS
#: require q.shape[2] == k.shape[2]
def unpacked_relation(q, k):
    b, t, d = q.size()
    b2, s, d2 = k.size()
    if d != d2:
        raise ValueError("widths differ")
    return q @ k.transpose(1, 2)


#: x: np_arrays(dtype="float32", min=0, finite=True) GUESS
def finite(x: np.ndarray):
    if np.isnan(x).any():
        raise ValueError("NaN")
    if (x < 0).any():
        raise ValueError("negative")
    return np.sqrt(x)


#: p: tensors(min=0, max=1) GUESS
def probabilities(p: torch.Tensor):
    assert p.min() >= 0 and p.max() <= 1
    return p.log()


#: path: paths() STRONG
def file_there(path):
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    return open(path).read()


#: n: ints(min=2, max=4) STRONG
def leaves(n: int):
    if n < 2:
        print("n must be at least 2")
        sys.exit(1)
    return n


#: steps: ints(min=1, max=4) STRONG
def gives_up(steps: int):
    if steps < 1:
        print("nothing to do")
        return None
    return list(range(steps))


#: items: lists() GUESS
def not_a_refusal(items: list):
    if not items:
        return None
    return items[0]


#: n: ints(min=1, max=4) LIKELY
#: require abs(n) <= 10
def reassigned(n: int):
    n = abs(n)
    if n > 10:
        raise ValueError(n)
    return n


#: size: anys(ints(min=1, max=4), None) STRONG
def optional_default(size: int = None):
    if size is None:
        size = 4
    if size <= 0:
        raise ValueError(size)
    return torch.zeros(size)


#: kernel_size: anys(tuples(ints(min=1, max=16), ints(min=1, max=16)), 1, 3, 5) GUESS
#: x: tensors(dtype="float32") GUESS
#: require len(kernel_size) == 2 or isinstance(kernel_size, int)
def single_or_pair(kernel_size, x):
    if isinstance(kernel_size, int):
        kernel_size = (kernel_size, kernel_size)
    assert len(kernel_size) == 2
    return nn.functional.avg_pool2d(x, kernel_size)


#: sizes: lists() GUESS
def in_a_loop(sizes: list):
    for size in sizes:
        if size <= 0:
            raise ValueError(size)
    return sum(sizes)


#: n: ints(min=1, max=4) LIKELY
def caught(n: int):
    try:
        if n < 0:
            raise ValueError
    except ValueError:
        n = 0
    return n


class Block(nn.Module):
    #: in_channels: froms([4, 8, 16, 32]) LIKELY
    #: stride: froms([1, 2]) STRONG
    #: groups: ints(min=1, max=2) LIKELY
    #: require in_channels % groups == 0
    def __init__(self, in_channels: int, stride: int = 1, groups: int = 1):
        super().__init__()
        if stride not in [1, 2]:
            raise ValueError("illegal stride value")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.in_channels = in_channels
        self.stride = stride

    #: x: tensors(dtype="float32") GUESS
    #: require x.shape[1] == self.in_channels
    def forward(self, x: torch.Tensor):
        if x.size(1) != self.in_channels:
            raise ValueError("wrong number of channels")
        return x[:, :, :: self.stride, :: self.stride]


#: step: ints(min=0, max=10) GUESS
#: kind: froms(["cosine", "linear"]) LIKELY
#: require step < 3 or kind == 'cosine' or kind == 'linear'
def chained_choices(step, kind):
    if step < 3:
        return 0.5
    if kind == "cosine":
        return math.cos(step)
    elif kind == "linear":
        return 1.0 / step
    raise ValueError(kind)
