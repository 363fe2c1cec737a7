"""Arrays that library functions make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..facts import all_known
from .abstract_values import (
    UNKNOWN,
    CallArguments,
    LibraryName,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    UntypedParameter,
    sized,
)
from .sizes import Size, SizeConstraints, combined

_TORCH, _NUMPY, _JAX = "torch.", "numpy.", "jax.numpy."
_SIZED = {
    "randn": (None, None), "rand": (0, 1), "zeros": (0, 0), "ones": (1, 1), "empty": (None, None),
    "FloatTensor": (None, None), "LongTensor": (None, None), "standard_normal": (None, None),
    "random.randn": (None, None), "random.rand": (0, 1), "random.random": (0, 1),
    "random.random_sample": (0, 1), "random.standard_normal": (None, None),
}  # fmt: skip
_DRAWN = ("randint", "random.randint", "random.integers", "random.uniform", "random.normal", "full")
_LIKE = ("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "full_like")
_CONVERTS = ("tensor", "as_tensor", "array", "asarray", "from_numpy", "Tensor", "LongTensor",
             "FloatTensor")  # fmt: skip
_MOST_WRITTEN = 64
_SPREAD = ("random.randn", "random.rand")
_WORDS = {
    "long": "int64", "int": "int32", "short": "int16", "float": "float32", "double": "float64",
    "half": "float16", "float_": "float64", "bool_": "bool",
}  # fmt: skip


def dtype_of(value: Any) -> str | None:
    """Return a dtype by its name: ``torch.long``, ``np.float32``, ``"int64"``, ``float``."""
    if isinstance(value, LibraryName):
        plain = value.name.startswith("builtins.")
        word = value.name.rpartition(".")[2]
        if plain:
            return {"int": "int64", "float": "float64", "bool": "bool"}.get(word)
        return _WORDS.get(word, word)
    return value if isinstance(value, str) and value.rstrip("0123456789").isalpha() else None


def created(ledger: SizeConstraints, name: str, call: CallArguments) -> Any | None:  # noqa: PLR0911 - one for each kind of value
    """Return what a creating function makes; ``None`` where it is no such function."""
    word, kind = _word(name)
    args = call.args
    if not kind:
        return None
    if word in _SIZED and not (word in _CONVERTS and args and isinstance(args[0], list)):
        return _sized(ledger, word, kind, call)
    if word in _DRAWN:
        return _drawn(ledger, word, kind, call)
    if word in _LIKE and args:
        return _like(args[0], kind, word)
    if word in ("arange", "linspace", "eye", "randperm"):
        return _counted(ledger, word, kind, call)
    if word in _CONVERTS and args:
        return _converted(ledger, args[0], kind, call.get(1, "dtype"))
    return None


def _word(name: str) -> tuple[str, str]:
    name = name.replace("numpy.random.default_rng.", "numpy.random.")
    for prefix, kind in ((_TORCH, "tensors"), (_NUMPY, "np_arrays"), (_JAX, "jax_arrays")):
        if name.startswith(prefix):
            return name.removeprefix(prefix), kind
    return "", ""


def dims_of(values: Sequence[Any]) -> list[Size] | None:
    """Return sizes that are given one by one or as one sequence."""
    if len(values) == 1 and isinstance(values[0], ShapeAttribute):
        return values[0].tensor.shape.dims
    if len(values) == 1 and isinstance(values[0], list | tuple):
        values = values[0]
    return all_known(map(sized, values))


def _tensor(
    ledger: SizeConstraints, dims: list[Size] | None, kind: str, elements: TensorElements
) -> Any:
    return UNKNOWN if dims is None else Tensor(TensorShape(ledger, dims), elements, kind)


def _float(kind: str) -> str:
    return "float64" if kind == "np_arrays" else "float32"


def _sized(ledger: SizeConstraints, word: str, kind: str, call: CallArguments) -> Any:
    given = call.args or [each for key, each in call.kwargs.items() if key in ("size", "shape")]
    spread = kind == "tensors" or word in _SPREAD
    dtype = dtype_of(call.kwargs.get("dtype"))
    if not spread:
        dtype = dtype or (dtype_of(given[1]) if len(given) > 1 else None)
        given = given[:1]
    low, high = _SIZED[word]
    dtype = dtype or ("int64" if word == "LongTensor" else _float(kind))
    if dtype == "bool":
        low = high = None
    elements = TensorElements(dtype, low, high, drawn=True)
    return _tensor(ledger, dims_of(given) if given else [], kind, elements)


def _drawn(ledger: SizeConstraints, word: str, kind: str, call: CallArguments) -> Any:
    size = call.kwargs.get("size")
    given = list(call.args)
    if size is None and given and (isinstance(given[-1], list | tuple) or len(given) == 3):
        size = given.pop()
    if word == "full":
        value = call.get(1, "fill_value")
        natural = {bool: "bool", int: "int64", float: _float(kind)}.get(type(value))
        known = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        elements = TensorElements(
            dtype_of(call.kwargs.get("dtype")) or natural, known, known, drawn=True
        )
        return _tensor(ledger, dims_of(call.args[:1]), kind, elements)
    dims = [] if size is None else dims_of([size])
    low, high = call.kwargs.get("low"), call.kwargs.get("high")
    numbers = [each for each in given if not isinstance(each, list | tuple)]
    if high is None and len(numbers) == 1:
        low, high = 0 if low is None else low, numbers[0]
    elif len(numbers) >= 2:
        low, high = numbers[:2]
    if word == "random.normal":
        low = high = None
    if not word.endswith(("randint", "integers")):
        return _tensor(ledger, dims, kind, TensorElements(_float(kind), low, high, drawn=True))
    top = sized(high)
    dtype = dtype_of(call.kwargs.get("dtype")) or "int64"
    last = combined("-", top, 1) if top is not None else None
    return _tensor(ledger, dims, kind, TensorElements(dtype, low or 0, last, drawn=True))


def _like(value: Any, kind: str, word: str) -> Any:
    tensor = value.as_tensor() if isinstance(value, UntypedParameter) else value
    if not isinstance(tensor, Tensor):
        return UNKNOWN
    low, high = {"zeros_like": (0, 0), "ones_like": (1, 1), "rand_like": (0, 1)}.get(
        word, (None, None)
    )
    return Tensor(tensor.shape, TensorElements(tensor.elements.dtype, low, high, drawn=True), kind)


def _counted(ledger: SizeConstraints, word: str, kind: str, call: CallArguments) -> Any:
    args, given = call.args, call.kwargs.get("dtype")
    sizes = [sized(each) for each in args]
    inexact = dtype_of(given) or _float(kind)
    if word == "linspace" and len(sizes) > 2 and sizes[2] is not None:
        return _tensor(ledger, [sizes[2]], kind, TensorElements(inexact, drawn=True))
    if word == "arange" and len(args) == 1 and isinstance(args[0], float):
        count = max(0, math.ceil(args[0]))
        elements = TensorElements(inexact, 0, max(0, count - 1), drawn=True)
        return _tensor(ledger, [count], kind, elements)
    if len(sizes) != 1 or sizes[0] is None:
        return UNKNOWN
    if word == "eye":
        elements = TensorElements(inexact, 0, 1, drawn=True)
        return _tensor(ledger, [sizes[0], sizes[0]], kind, elements)
    dtype = "int64" if given is None else inexact
    elements = TensorElements(dtype, 0, combined("-", sizes[0], 1), drawn=True)
    if isinstance(sizes[0], int) and 0 < sizes[0] <= _MOST_WRITTEN:
        elements.written = (sizes[0],), tuple(range(sizes[0]))
    return _tensor(ledger, [sizes[0]], kind, elements)


def _converted(ledger: SizeConstraints, value: Any, kind: str, dtype: Any) -> Any:
    named = dtype_of(dtype)
    if isinstance(value, Tensor):
        elements = value.elements
        return Tensor(
            value.shape,
            TensorElements(named or elements.dtype, elements.low, elements.high, drawn=True),
            kind,
        )
    numbers = list[Any]()
    dims = _nested(value, numbers)
    if dims is None or not numbers:
        return UNKNOWN
    kinds = {type(each) for each in numbers}
    if kinds <= {bool}:
        return Tensor(TensorShape(ledger, dims), TensorElements(named or "bool", drawn=True), kind)
    natural = "int64" if kinds <= {int, bool} else _float(kind)
    elements = TensorElements(named or natural, min(numbers), max(numbers), drawn=True)
    whole = [each for each in dims if isinstance(each, int)]
    if len(numbers) <= _MOST_WRITTEN and len(whole) == len(dims):
        elements.written = tuple(whole), tuple(numbers)
    return Tensor(TensorShape(ledger, dims), elements, kind)


def _nested(value: Any, numbers: list[Any]) -> list[Size] | None:
    if isinstance(value, int | float):
        numbers.append(value)
        return []
    if not isinstance(value, list | tuple) or not value or len(value) > 10_000:
        return None
    inner = [_nested(each, numbers) for each in value]
    first = inner[0]
    if first is None or any(each != first for each in inner):
        return None
    return [len(value), *first]
