"""Tensors as values: told apart, copied, and as NumPy has them."""

from __future__ import annotations

from typing import Any, Tuple

_WIDER = {"float16": "float32", "bfloat16": "float32", "complex32": "complex64"}


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, of whatever kind."""
    import torch

    return isinstance(value, torch.Tensor)


def copied(value: Any) -> Any:
    """A value with tensors of its own, of the same strides, dtype and need of gradients.

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
    """With the same elements; each place that several share is written once."""
    once = tuple(slice(0, 1) if step == 0 else slice(None) for step in value.stride())
    if once:
        made[once].copy_(value[once])
    else:
        made.copy_(value)
    return made


def plain(array: Any) -> Tuple[str, Tuple[int, ...], Any]:
    """Dtype by name, shape, and the elements as a NumPy array, widened where NumPy lacks them.

    A sparse, nested or quantized tensor is made dense first.
    """
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
