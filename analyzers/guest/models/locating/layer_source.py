"""The constructor call that makes a layer of ``torch.nn``, as text."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

_SKIPPED = frozenset(
    (
        "self",
        "device",
        "dtype",
        "_weight",
        "_freeze",
        "args",
        "kwargs",
        "init",
        "size_average",
        "reduce",
    )
)
_SHAPES = ("normalized_shape", "unflattened_size")
_MISSING = object()


def source_of(layer: Any) -> str:
    """Text that makes a layer like this one, ``torch.nn.Conv2d(3, 8, kernel_size=3)``.

    Without its weights; empty where its class is not of ``torch.nn`` or the text would not
    make a layer of the same configuration and parameters.
    """
    try:
        for short in (True, False):
            source = _source(layer, short)
            if source and _is_like(_made(source), layer):
                return source
    except Exception:
        return ""
    return ""


def _made(source: str) -> Any:
    import torch

    with torch.random.fork_rng(devices=[]):
        return eval(source, {"torch": torch})  # our own text


def _is_like(made: Any, layer: Any) -> bool:
    shapes = [
        {name: tuple(each.shape) for name, each in module.state_dict().items()}
        for module in (made, layer)
    ]
    return repr(made) == repr(layer) and shapes[0] == shapes[1]


def _source(layer: Any, short: bool) -> Optional[str]:
    kind = type(layer)
    if not kind.__module__.startswith("torch.nn.modules."):
        return None
    if kind.__name__ == "Sequential":
        inside = [_source(each, short) for each in layer]
        return None if None in inside else f"torch.nn.Sequential({', '.join(map(str, inside))})"
    arguments = _arguments(layer, short)
    return None if arguments is None else f"torch.nn.{kind.__name__}({', '.join(arguments)})"


def _arguments(layer: Any, short: bool) -> Optional[List[str]]:
    """Its arguments: required ones by place, others by name where they are not the default."""
    found: List[str] = []
    for parameter in _parameters(layer):
        value = _value(layer, parameter.name)
        required = parameter.default is parameter.empty
        if value is _MISSING:
            if required:
                return None
            continue
        value = _plain(value, parameter.name, short)
        text = literal(value)
        if text is None:
            return None
        if required:
            found.append(text)
        elif not _is_default(value, parameter.default):
            found.append(f"{parameter.name}={text}")
    return found


def _parameters(layer: Any) -> List[inspect.Parameter]:
    kind = type(layer)
    if kind.__name__ in ("RNN", "LSTM", "GRU"):
        names = ["input_size", "hidden_size"]
        needed = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names]
        told = {**_RECURRENT, **({"nonlinearity": "tanh"} if kind.__name__ == "RNN" else {})}
        return [*needed, *(_keyword(*each) for each in told.items())]
    signature = inspect.signature(kind.__init__)
    return [each for name, each in signature.parameters.items() if name not in _SKIPPED]


def _keyword(name: str, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


_RECURRENT: Mapping[str, Any] = {
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0.0,
    "bidirectional": False,
    "proj_size": 0,
}


def _bias(layer: Any) -> Any:
    for name in ("in_proj_bias", "bias"):
        found = getattr(layer, name, _MISSING)
        if found is not _MISSING:
            return found if isinstance(found, bool) else found is not None
    inner = getattr(layer, "linear1", None)
    return _MISSING if inner is None else inner.bias is not None


def _nonlinearity(layer: Any) -> Any:
    """That of a plain RNN is part of its mode."""
    mode = getattr(layer, "mode", None)
    return layer.nonlinearity if mode is None else mode.rsplit("_", 1)[-1].lower()


def _stride(layer: Any) -> Any:
    """That of pooling is its kernel's size unless it is said."""
    pooling = "Pool" in type(layer).__name__ and layer.stride == layer.kernel_size
    return _MISSING if pooling else layer.stride


def _other_width(layer: Any, width: int) -> Any:
    return _MISSING if width == layer.embed_dim else width


_HIDDEN: Dict[str, Callable[[Any], Any]] = {
    "bias": _bias,
    "nonlinearity": _nonlinearity,
    "stride": _stride,
    "kdim": lambda layer: _other_width(layer, layer.kdim),
    "vdim": lambda layer: _other_width(layer, layer.vdim),
    "add_bias_kv": lambda layer: layer.bias_k is not None,
    "add_zero_attn": lambda layer: layer.add_zero_attn,
    "d_model": lambda layer: layer.self_attn.embed_dim,
    "nhead": lambda layer: layer.self_attn.num_heads,
    "dim_feedforward": lambda layer: layer.linear1.out_features,
    "layer_norm_eps": lambda layer: layer.norm1.eps,
    "activation": lambda layer: layer.activation.__name__,
}


def _value(layer: Any, name: str) -> Any:
    """An argument as the layer keeps it."""
    try:
        if name == "batch_first" and hasattr(layer, "self_attn"):
            return layer.self_attn.batch_first
        if name == "dropout" and hasattr(layer, "self_attn"):
            return layer.dropout.p
        if name in _HIDDEN:
            return _HIDDEN[name](layer)
        return getattr(layer, name)
    except AttributeError:
        return _MISSING


def _plain(value: Any, name: str, short: bool) -> Any:
    """A tuple of the same number as that number, as people write it."""
    if not isinstance(value, tuple):
        return value
    alike = short and name not in _SHAPES and len(set(map(str, value))) == 1
    return value[0] if alike else tuple(value)


class VariableName(str):
    """The name of a variable, which is its own text."""


def literal(value: Any) -> Optional[str]:
    """The Python text of a number, string, or nesting of such; ``None`` for anything else."""
    if isinstance(value, VariableName):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, (tuple, list)):
        parts = [literal(each) for each in value]
        left, right = ("(", ")") if isinstance(value, tuple) else ("[", "]")
        comma = "," if len(parts) == 1 and left == "(" else ""
        return None if None in parts else f"{left}{', '.join(map(str, parts))}{comma}{right}"
    return repr(value) if value is None or type(value) in (bool, int, float, str) else None


def _is_default(value: Any, default: Any) -> bool:
    if callable(default):
        default = getattr(default, "__name__", default)
    pair: Tuple[Any, Any] = (value, default)
    return type(pair[0]) in (type(pair[1]), int, float) and bool(pair[0] == pair[1])
