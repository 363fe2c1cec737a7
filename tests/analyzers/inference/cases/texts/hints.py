from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Dict, List, Literal, NewType, Optional, Tuple, TypedDict, Union

import jax
import numpy as np
import numpy.typing as npt
import torch
from annotated_types import Ge, Gt, Interval, Le
from beartype.vale import Is
from jaxtyping import Bool, Float, Float32, Int, Shaped, UInt8
from PIL import Image
from pydantic import Field, PositiveInt, conint
from torch import Tensor, nn

Images = Float[Tensor, "batch 3 height width"]
Width = NewType("Width", int)
Probability = Annotated[float, Interval(ge=0.0, le=1.0)]


class Norm(Enum):
    BATCH = "batch"
    LAYER = "layer"


class Options(TypedDict):
    flip: bool
    shift: int


@dataclass
class Config:
    width: int = 4


class Tokenizer:
    #: lower: bools() LIKELY
    def __init__(self, lower=True):
        self.lower = lower


#: i: ints(min=0, max=10) LIKELY
#: f: floats(min=0.01, max=10.0) LIKELY
#: flag: bools() STRONG
#: word: strings(min_len=1, max_len=20) GUESS
def plain(i: int, f: float, flag: bool, word: str):
    return i, f, flag, word


#: q: tensors(dtype="float32", shape=("b", "h", "t", "d")) STRONG
#: k: tensors(dtype="float32", shape=("b", "h", "s", "d")) STRONG
#: mask: anys(tensors(dtype="bool", shape=("t", "s")), None) STRONG
def attention(q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h s d"], mask: Bool[Tensor, "t s"] | None):
    return q @ k.mT


#: images: tensors(dtype="float32", shape=("batch", 3, "height", "width"), min=0, max=1) STRONG
#: w: tensors(dtype="float32", shape=(3, "k")) STRONG
#: returns tensors(dtype=froms(["float32", "float64", "float16", "bfloat16"]), shape=("batch", "k"))
def returns(images: Images, w: Float32[torch.Tensor, "3 k"]) -> Float[Tensor, "batch k"]:
    return images.mean((2, 3)) @ w


#: x: tensors(dtype="float32", shape=("*batch", "c")) STRONG
#: y: np_arrays(shape=("...", "2*c")) STRONG
#: n: jax_arrays(dtype="uint8", shape=("_", 4)) STRONG
def ragged(x: Float[Tensor, "*batch c"], y: Shaped[np.ndarray, "... 2*c"], n: UInt8[jax.Array, "_ rows=4"]):
    return x, y, n


#: y: np_arrays(dtype="int64", shape=("n",)) GUESS
#: scale: np_arrays(dtype="float32", shape=()) STRONG
#: z: tensors(dtype="float32", shape=("n", "d")) STRONG
def labels(y: Int[np.ndarray, "n"], scale: Float[np.ndarray, ""], z: "Float[Tensor, 'n d']"):
    return y


#: a: np_arrays(dtype="float32") GUESS
#: b: np_arrays(dtype="float32") GUESS
#: c: np_arrays(dtype="uint8") GUESS
def numpy_typed(a: npt.NDArray[np.float32], b: np.ndarray, c: npt.NDArray[np.uint8]):
    return a, b, c


#: t: tensors(dtype="int64") GUESS
#: m: tensors(dtype="bool") GUESS
#: x: tensors(dtype="float32") GUESS
def legacy(t: torch.LongTensor, m: torch.BoolTensor, x: Tensor):
    return t, m, x


#: mode: froms(["train", "eval"]) STRONG
#: bits: froms([8, 16]) STRONG
#: norm: froms([Norm.BATCH, Norm.LAYER]) STRONG
def choices(mode: Literal["train", "eval"], bits: Literal[8, 16] = 8, norm: Norm = Norm.BATCH):
    return mode, bits


#: n: ints(min=1, max=8) STRONG
#: rate: floats(min=0.0, max=1.0) STRONG
#: k: ints(min=2, max=5) STRONG
#: m: ints(min=1, max=4) STRONG
def bounds(n: Annotated[int, Gt(0), Le(8)], rate: Probability, k: conint(ge=2, le=5), m: PositiveInt):
    return n, rate, k, m


#: alpha: floats(min=0, max=2, exclude_min=True, exclude_max=True) STRONG
#: tags: int_lists(min_len=1, max_len=3) STRONG
def fields(alpha: Annotated[float, Field(gt=0, lt=2)], tags: Annotated[list[int], Field(min_length=1, max_length=3)]):
    return alpha, tags


#: n: ints(min=1, max=4) LIKELY
#: x: tensors(dtype="float32", shape=("b", "c")) STRONG
#: require n % 2 == 0
def validated(n: Annotated[int, Is[lambda v: v % 2 == 0]], x: Annotated[Tensor, "b c"]):
    return n, x


#: a: int_lists() GUESS
#: b: float_lists() GUESS
#: c: tuples(ints(min=1, max=16), ints(min=1, max=16)) LIKELY
#: d: dicts(keys=strings(), values=ints(min=1, max=16)) GUESS
#: e: string_lists() GUESS
def collections(a: list[int], b: Sequence[float], c: Tuple[int, int], d: dict[str, int], e: List[str]):
    return a, b, c, d, e


#: sizes: anys(tuples(ints(min=1, max=16)), tuples(ints(min=1, max=16), ints(min=1, max=16)), tuples(ints(min=1, max=16), ints(min=1, max=16), ints(min=1, max=16))) GUESS
def variadic(sizes: tuple[int, ...]):
    return sizes


#: n: anys(ints(min=1, max=4), None) LIKELY
#: x: anys(ints(min=1, max=16), None) LIKELY
#: y: anys(floats(min=0.01, max=10.0), None) LIKELY
#: z: tensors(dtype="float32") GUESS
def optionals(n: Optional[int], x: Union[int, None], y: float | None, z: Any):
    return n, x, y, z


#: kernel: anys(ints(min=1, max=16), tuples(ints(min=1, max=16), ints(min=1, max=16))) LIKELY
#: value: anys(ints(min=1, max=16), strings()) GUESS
def unions(kernel: Union[int, Tuple[int, int]], value: int | str):
    return kernel, value


#: net: modules() GUESS
#: cfg: configs(of=Config) LIKELY
#: tok: froms([Tokenizer()]) LIKELY
#: path: paths(form="path") LIKELY
#: img: images(form="pil") STRONG
def objects(net: nn.Module, cfg: Config, tok: Tokenizer, path: Path, img: Image.Image):
    return net, cfg, tok, path, img


#: options: configs(flip=bools(), shift=ints(min=1, max=16)) LIKELY
#: width: froms([4, 8, 16, 32]) LIKELY
def typed_dict(options: Options, width: Width):
    return options, width


#: act: callables(returns=tensors()) GUESS
#: done: callables(returns=None) LIKELY
def functions(act: Callable[[Tensor], Tensor], done: Callable[[int], None]):
    return act, done


#: loader: absent
#: thing: absent
def unknown(loader: torch.utils.data.DataLoader, thing: "Missing"):
    return loader, thing


#: args: configs(lr=floats(min=1e-5, max=0.1), batch_size=ints(min=1, max=8)) GUESS
def namespace(args: Namespace):
    return args.lr * args.batch_size


#: x: tensors(dtype="float32", shape=("n",)) STRONG
#: device: froms([torch.device("cpu")]) LIKELY
#: dtype: froms([torch.float32]) LIKELY
def device_and_dtype(x: Float[Tensor, "n"], device: torch.device, dtype: torch.dtype):
    return x.to(device, dtype)


#: x: tensors(dtype="float32", shape=("n", "d")) STRONG
#: returns tuples(tensors(dtype=froms(["float32", "float64", "float16", "bfloat16"]), shape=("n",)), tensors(dtype=froms(["int64", "int32", "int16", "int8"]), shape=("n",)))
def two_results(x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n"], Int[Tensor, "n"]]:
    return x.max(-1)


#: x: tensors(dtype="float32") GUESS
def plain_result(x: Tensor) -> Tensor:
    return x
