"""Values of torch: copied, as NumPy has them, and as the text that makes them again."""

from __future__ import annotations

import math
from typing import Any, Callable

from ...inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    NameRecipe,
    PairsRecipe,
    Recipe,
    literal,
)

_WIDER = {"float16": "float32", "bfloat16": "float32", "complex32": "complex64"}


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor, of whatever kind."""
    import torch

    return isinstance(value, torch.Tensor)


def copied(value: Any) -> Any:
    """Return a value with tensors of its own, of the same strides, dtype and need of gradients.

    What overlaps itself (``expand``) does so in the copy.  Other objects that can
    change (layers, generators) are copied as ``copy.deepcopy`` does; what it cannot
    copy is itself.
    """
    import torch

    if isinstance(value, torch.Tensor):
        return _copied_tensor(value)
    kind = type(value)
    if kind in (list, tuple):
        return kind([copied(item) for item in value])
    if kind is dict:
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, (torch.nn.Module, torch.nn.utils.rnn.PackedSequence)):
        return _deeply(value)
    return value


def _deeply(value: Any) -> Any:
    from copy import deepcopy

    try:
        return deepcopy(value)
    except Exception:
        return value


def _copied_tensor(value: Any) -> Any:
    import torch

    if not _is_plain(value):
        return _deeply(value.detach().requires_grad_(value.requires_grad))
    with torch.no_grad():
        made = _copied_elements(value.detach())
    if type(value) is torch.nn.Parameter:
        return torch.nn.Parameter(made, value.requires_grad)
    return made.requires_grad_(value.requires_grad)


def _is_plain(value: Any) -> bool:
    import torch

    return (
        type(value) in (torch.Tensor, torch.nn.Parameter)
        and value.layout == torch.strided
        and not (value.is_nested or value.is_quantized or value.is_meta)
    )


def _copied_elements(value: Any) -> Any:
    import torch

    if value.is_conj():
        return torch.conj(_copied_elements(value.conj()))
    if value.is_contiguous():
        return value.clone()
    shape, stride = tuple(value.shape), tuple(value.stride())
    if 0 in shape:
        return torch.empty_strided(shape, stride, dtype=value.dtype, device=value.device)
    span = 1 + sum((size - 1) * step for size, step in zip(shape, stride))
    base = torch.zeros(span, dtype=value.dtype, device=value.device)
    return _filled(base.as_strided(shape, stride), value)


def _filled(made: Any, value: Any) -> Any:
    """Return with the same elements; each place that several share is written once."""
    once = tuple(slice(0, 1) if step == 0 else slice(None) for step in value.stride())
    if once:
        made[once].copy_(value[once])
    else:
        made.copy_(value)
    return made


def plain(array: Any) -> tuple[str, tuple[int, ...], Any]:
    """Return dtype by name, shape, and elements (dense, widened) as a NumPy array."""
    import torch

    dtype = str(array.dtype).rpartition(".")[2]
    with torch.no_grad():
        dense = _dense(array.detach())
        shape = tuple(int(size) for size in dense.shape)
        wider = "float32" if dtype.startswith("float8") else _WIDER.get(dtype)
        if wider:
            dense = dense.to(getattr(torch, wider))
        return dtype, shape, dense.resolve_conj().resolve_neg().cpu().numpy()


def _dense(array: Any) -> Any:
    import torch

    if array.is_nested:
        return torch.nested.to_padded_tensor(array, 0.0)
    if array.is_quantized:
        return array.dequantize()
    return array.to_dense() if array.layout != torch.strided else array


_DIGITS = {"float32": (9, 8, 4), "float16": (5, 4, 3), "bfloat16": (4, 3, 2)}
"""How many digits are tried in place of all those of a double; nine tell any float32."""


def elements(value: Any) -> Any:
    """Return a tensor's number or flat list of them, of which torch makes the same tensor."""
    import torch

    flat = value.reshape(-1)
    if str(value.dtype).startswith("torch.float8"):
        flat = flat.to(torch.float32)
    exact = flat.tolist()
    if value.is_floating_point():
        exact = _shortened(exact, value.dtype)
    return exact if value.dim() else exact[0]


def _shortened(exact: list[float], dtype: Any) -> list[float]:
    """Return for each number the shortest tried that is the same one in that precision."""
    import torch

    digits = _DIGITS.get(str(dtype).rpartition(".")[2], ())
    if all(number.is_integer() or not math.isfinite(number) for number in exact):
        return exact
    best = exact
    for count in digits:
        tried = [float(f"{number:.{count}g}") for number in exact]
        again = torch.tensor(tried, dtype=dtype).tolist()
        best = [
            short if back == number else known
            for short, back, number, known in zip(tried, again, exact, best)
        ]
    return best


MOST_ELEMENTS = 64
"""How many elements of a tensor are written out, and how many items a container has."""

_PLAIN: dict[type, str] = {int: "int", float: "float", bool: "bool", complex: "complex"}
_INFERRED = ("float32", "int64", "bool")
_NAMED = ("dtype", "layout", "memory_format", "qscheme")


def torch_recipe(value: Any) -> Recipe:
    """Return the recipe of a value, exact but for a NaN's payload; raises :class:`BadRecipe`."""
    import torch

    if isinstance(value, torch.Tensor):
        return _tensor(value)
    kind = type(value)
    if kind in (list, tuple, dict):
        return _container(value)
    return _SPELLERS.get(kind.__name__, _plain)(value)


def _container(value: Any) -> Recipe:
    if len(value) > MOST_ELEMENTS:
        raise BadRecipe("it is too long to be written")
    if isinstance(value, dict):
        return PairsRecipe(tuple((literal(key), torch_recipe(item)) for key, item in value.items()))
    return DisplayRecipe(type(value).__name__, tuple(torch_recipe(item) for item in value))


def _plain(value: Any) -> Recipe:
    if isinstance(value, type) and value in _PLAIN:
        return NameRecipe(_PLAIN[value])
    if type(value).__name__ in _NAMED and type(value).__module__ == "torch":
        return NameRecipe(str(value))
    return literal(value)


def _complex(value: Any) -> Recipe:
    try:
        return literal(value)
    except BadRecipe:
        return CallRecipe("complex", (LiteralRecipe(value.real), LiteralRecipe(value.imag)))


def _size(value: Any) -> Recipe:
    return CallRecipe("torch.Size", (literal(tuple(value)),))


def _slice(value: Any) -> Recipe:
    return CallRecipe(
        "slice", (torch_recipe(value.start), torch_recipe(value.stop), torch_recipe(value.step))
    )


def _range(value: Any) -> Recipe:
    return CallRecipe("range", (literal(value.start), literal(value.stop), literal(value.step)))


def _device(value: Any) -> Recipe:
    return CallRecipe("torch.device", (LiteralRecipe(str(value)),))


_SPELLERS: dict[str, Callable[[Any], Recipe]] = {
    "complex": _complex,
    "Size": _size,
    "slice": _slice,
    "range": _range,
    "device": _device,
}


# ------------------------------------------------------------------- tensors


def _tensor(value: Any) -> Recipe:
    import torch

    if type(value) is torch.nn.Parameter:
        with torch.no_grad():
            inside = _tensor(value.detach())
        wanted = () if value.requires_grad else (("requires_grad", LiteralRecipe(False)),)
        return CallRecipe("torch.nn.Parameter", (inside,), wanted)
    if type(value) is not torch.Tensor or value.is_nested or value.device.type != "cpu":
        raise BadRecipe("this kind of tensor has no text")
    try:
        with torch.no_grad():
            made = _laid_out(value.detach())
    except RuntimeError as error:
        raise BadRecipe("this kind of tensor has no text") from error
    return _with_gradient(made) if value.requires_grad else made


def _with_gradient(made: Recipe) -> Recipe:
    wanted = ("requires_grad", LiteralRecipe(True))
    if isinstance(made, CallRecipe) and made.function in _TAKE_GRADIENT:
        return CallRecipe(made.function, made.arguments, (*made.keywords, wanted))
    return CallRecipe("torch.Tensor.requires_grad_", (made,))


_TAKE_GRADIENT = ("torch.tensor", "torch.zeros", "torch.ones", "torch.full")


def _laid_out(value: Any) -> Recipe:
    """Return a tensor by how it lies in memory."""
    import torch

    if value.layout != torch.strided:
        return _sparse(value)
    if value.is_quantized:
        return _quantized(value)
    if value.is_conj():
        return CallRecipe("torch.conj", (_laid_out(value.conj()),))
    if value.is_neg():
        return _laid_out(value.resolve_neg())
    if value.is_contiguous() or value.numel() == 0:
        return _contiguous(value)
    return _strided(value)


def _strided(value: Any) -> Recipe:
    import torch

    shape, stride = tuple(value.shape), tuple(value.stride())
    if any(step == 0 and size > 1 for size, step in zip(shape, stride)):
        inner = value[tuple(slice(0, 1) if step == 0 else slice(None) for step in stride)]
        sizes = tuple(LiteralRecipe(size) for size in shape)
        return CallRecipe("torch.Tensor.expand", (_laid_out(inner), *sizes))
    order = sorted(range(len(shape)), key=lambda at: (-stride[at], at))
    dense = value.permute(order)
    if dense.is_contiguous():
        back = tuple(order.index(at) for at in range(len(shape)))
        return CallRecipe("torch.permute", (_contiguous(dense), literal(back)))
    span = 1 + sum((size - 1) * step for size, step in zip(shape, stride))
    if span > MOST_ELEMENTS:
        raise BadRecipe("too many elements to be written")
    base = torch.zeros(span, dtype=value.dtype)
    base.as_strided(shape, stride).copy_(value)
    return CallRecipe("torch.as_strided", (_contiguous(base), literal(shape), literal(stride)))


def _contiguous(value: Any) -> Recipe:
    if value.is_complex():
        parts = (_contiguous(part.contiguous()) for part in (value.real, value.imag))
        return CallRecipe("torch.complex", tuple(parts))
    count, shape = value.numel(), tuple(value.shape)
    if count > MOST_ELEMENTS:
        return _repeated(value, shape)
    if not count and shape != (0,):
        return CallRecipe("torch.zeros", (literal(shape),), _dtype(value, "float32"))
    items = elements(value)
    for size in reversed(shape[1:]):
        items = [items[at : at + size] for at in range(0, len(items), size)]
    inferred = _inferred(value) if count else "float32"
    return CallRecipe("torch.tensor", (_displayed(items),), _dtype(value, inferred))


def _displayed(items: Any) -> Recipe:
    if not isinstance(items, list):
        return LiteralRecipe(items)
    return DisplayRecipe("list", tuple([_displayed(item) for item in items]))


def _repeated(value: Any, shape: tuple[int, ...]) -> Recipe:
    """Return a large tensor that is one number all over, or counts from 0."""
    import torch

    first = value.flatten()[:1]
    if bool((value.flatten() == first).all()):
        (number,) = elements(first)
        if str(number) in ("0", "0.0"):
            return CallRecipe("torch.zeros", (literal(shape),), _dtype(value, "float32"))
        full = (literal(shape), LiteralRecipe(number))
        return CallRecipe("torch.full", full, _dtype(value, _inferred(value)))
    if value.dtype == torch.int64 and torch.equal(value, torch.arange(shape[0])):
        return CallRecipe("torch.arange", (LiteralRecipe(shape[0]),))
    raise BadRecipe("too many elements to be written")


def _inferred(value: Any) -> str:
    """Return the dtype that torch gives to such numbers by itself."""
    name = _name(value)
    if name in _INFERRED:
        return name
    return "float32" if value.is_floating_point() else "int64"


def _dtype(value: Any, inferred: str) -> tuple[tuple[str, Recipe], ...]:
    name = _name(value)
    return () if name == inferred else (("dtype", NameRecipe(f"torch.{name}")),)


def _name(value: Any) -> str:
    return str(value.dtype).rpartition(".")[2]


def _quantized(value: Any) -> Recipe:
    import torch

    if value.qscheme() != torch.per_tensor_affine:
        raise BadRecipe("this kind of tensor has no text")
    real = _laid_out(value.dequantize())
    scale, zero = LiteralRecipe(value.q_scale()), LiteralRecipe(value.q_zero_point())
    return CallRecipe(
        "torch.quantize_per_tensor", (real, scale, zero, NameRecipe(str(value.dtype)))
    )


def _sparse(value: Any) -> Recipe:
    import torch

    shape = literal(tuple(value.shape))
    parts: tuple[Any, ...]
    if value.layout == torch.sparse_coo:
        parts = (value._indices(), value._values())
        more = (("is_coalesced", LiteralRecipe(True)),) if value.is_coalesced() else ()
        keywords = (*more, _CHECKED)
        return CallRecipe("torch.sparse_coo_tensor", (*map(_laid_out, parts), shape), keywords)
    if value.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = (value.crow_indices(), value.col_indices(), value.values())
    elif value.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = (value.ccol_indices(), value.row_indices(), value.values())
    else:
        raise BadRecipe("this kind of tensor has no text")
    maker = str(value.layout).rpartition(".")[2]
    return CallRecipe(f"torch.{maker}_tensor", (*map(_laid_out, parts), shape), (_CHECKED,))


_CHECKED = ("check_invariants", LiteralRecipe(True))
"""Indices that point nowhere are refused, and are no defect of what is called with them."""
