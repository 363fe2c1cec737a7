"""A program of one layer of seed 0 that prints what an execution gives and what is right."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ..executions.tensor_trees import is_tensor, map_tensors, tensor_leaves
from ..model_types import ExecutionVerdict, ModelUnderTest
from .model_units import ModelUnit, is_foreign, verdict_of

_SKIPPED = frozenset(
    (
        *("self", "device", "dtype", "args", "kwargs", "init"),
        *("_weight", "_freeze", "size_average", "reduce"),
    )
)
_SHAPES = ("normalized_shape", "unflattened_size")
_MISSING = object()


def source_of(layer: Any) -> str:
    """Return text that makes a ``torch.nn`` layer like this one without its weights, or ``""``."""
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
    recurrent = kind.__name__ in ("RNN", "LSTM", "GRU")
    telling: Any = kind.__mro__[1] if recurrent else kind
    signature = inspect.signature(telling.__init__)
    skipped = {*_SKIPPED, "mode"} if recurrent else _SKIPPED
    found = [each for name, each in signature.parameters.items() if name not in skipped]
    if kind.__name__ == "RNN":
        how = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter("nonlinearity", how, default="tanh"))
    return found


def _bias(layer: Any) -> Any:
    for name in ("in_proj_bias", "bias"):
        found = getattr(layer, name, _MISSING)
        if found is not _MISSING:
            return found if isinstance(found, bool) else found is not None
    inner = getattr(layer, "linear1", None)
    return _MISSING if inner is None else inner.bias is not None


def _stride(layer: Any) -> Any:
    pooling = "Pool" in type(layer).__name__ and layer.stride == layer.kernel_size
    return _MISSING if pooling else layer.stride


_HIDDEN: Dict[str, Callable[[Any], Any]] = {
    "bias": _bias,
    "nonlinearity": lambda layer: (
        layer.mode.rsplit("_", 1)[-1].lower() if hasattr(layer, "mode") else layer.nonlinearity
    ),
    "stride": _stride,
    "kdim": lambda layer: _MISSING if layer.kdim == layer.embed_dim else layer.kdim,
    "vdim": lambda layer: _MISSING if layer.vdim == layer.embed_dim else layer.vdim,
    "add_bias_kv": lambda layer: layer.bias_k is not None,
    "add_zero_attn": lambda layer: layer.add_zero_attn,
    "d_model": lambda layer: layer.self_attn.embed_dim,
    "nhead": lambda layer: layer.self_attn.num_heads,
    "dim_feedforward": lambda layer: layer.linear1.out_features,
    "layer_norm_eps": lambda layer: layer.norm1.eps,
    "activation": lambda layer: layer.activation.__name__,
}


def _value(layer: Any, name: str) -> Any:
    try:
        if name == "batch_first" and hasattr(layer, "self_attn"):
            return layer.self_attn.batch_first
        if name == "dropout" and hasattr(layer, "self_attn"):
            return layer.dropout.p
        return _HIDDEN[name](layer) if name in _HIDDEN else getattr(layer, name)
    except AttributeError:
        return _MISSING


def _plain(value: Any, name: str, short: bool) -> Any:
    """Return a tuple of the same number as that number, as people write it."""
    if not isinstance(value, tuple):
        return value
    alike = short and name not in _SHAPES and len(set(map(str, value))) == 1
    return value[0] if alike else tuple(value)


class VariableName(str):
    """The name of a variable, which is its own text."""


def literal(value: Any) -> Optional[str]:
    """Return the Python text of a number, string, or nesting of such; else ``None``."""
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


_DECOMPOSED = """
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode


class Decomposing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        rule = decomposition_table.get(func)
        found = rule(*args, **(kwargs or {})) if rule else NotImplemented
        return func(*args, **(kwargs or {})) if found is NotImplemented else found


with torch.no_grad(), Decomposing():
    found = layer(*inputs)"""

_ONNX = """
import onnxruntime

{export}
session = onnxruntime.InferenceSession("layer.onnx", providers=["CPUExecutionProvider"])
names = [each.name for each in session.get_inputs()]
found = session.run(None, {{name: each.numpy() for name, each in zip(names, inputs)}})"""

_LOW = """
def low(value):
    return value.to("cuda", torch.{dtype}) if value.is_floating_point() else value.cuda()


with torch.no_grad():
    found = layer.to("cuda", torch.{dtype})(*map(low, inputs)).cpu()"""

RUNNING: Dict[str, str] = {
    "eager": "with torch.no_grad():\n    found = layer(*inputs)",
    "onednn-off": (
        "with torch.no_grad(), torch.backends.mkldnn.flags(enabled=False):\n"
        "    found = layer(*inputs)"
    ),
    "decompositions": _DECOMPOSED,
    "inductor": "with torch.no_grad():\n    found = torch.compile(layer)(*inputs)",
    "onnxruntime": _ONNX.format(
        export='torch.onnx.export(layer, inputs, dynamo=True).save("layer.onnx")'
    ),
    "onnxruntime-torchscript": _ONNX.format(
        export='torch.onnx.export(layer, inputs, "layer.onnx", dynamo=False, opset_version=17)'
    ),
    "channels-last": (
        "format = torch.channels_last\n"
        "with torch.no_grad():\n"
        "    given = [x.to(memory_format=format) if x.dim() == 4 else x for x in inputs]\n"
        "    found = layer.to(memory_format=format)(*given)"
    ),
    "cuda": (
        "with torch.no_grad():\n    found = layer.cuda()(*[each.cuda() for each in inputs]).cpu()"
    ),
    "bfloat16": _LOW.format(dtype="bfloat16"),
    "float16": _LOW.format(dtype="float16"),
}
"""By name of the execution."""

_MOST_LITERAL = 64
_SIDES = (4, 8, 16)


def program(
    unit: ModelUnit, source: str, execution: str, rules: Sequence[str]
) -> Tuple[str, Optional[ExecutionVerdict]]:
    """Return a program for the unit and what is said of its layer; empty where none shows it."""
    running = RUNNING.get(execution)
    layer = _layer(unit, source)
    if running is None or layer is None:
        return "", None
    tries = list(_inputs(unit))
    for inputs in tries[-1:] if is_foreign(execution) else tries:
        verdict = _shown(f"{layer}\n{inputs}", execution)
        if verdict is not None and verdict.rule in rules:
            text = _TEXT.format(layer=layer, inputs=inputs, running=running, execution=execution)
            return text.replace("\n\n\n\n", "\n\n\n"), verdict
    return "", None


def _shown(text: str, execution: str) -> Optional[ExecutionVerdict]:
    names: Dict[str, Any] = {}
    try:
        import torch

        with torch.random.fork_rng(devices=[]):
            exec(f"import torch\n\n{text}", names)  # our own text
        return verdict_of(ModelUnderTest(names["layer"], tuple(names["inputs"])), execution)
    except Exception:
        return None


def _layer(unit: ModelUnit, source: str) -> Optional[str]:
    if unit.function is None:
        plain = all(is_tensor(each) for each in unit.args) and not unit.kwargs
        return f"torch.manual_seed(0)\nlayer = {source}.eval()" if source and plain else None
    count = 0

    def name(_: Any) -> VariableName:
        nonlocal count
        count += 1
        return VariableName(f"x{count - 1}")

    args, kwargs = map_tensors((unit.args, dict(unit.kwargs)), name)
    parts = [literal(each) for each in args]
    named = {key: literal(each) for key, each in kwargs.items()}
    if None in (*parts, *named.values()) or not unit.api.startswith("torch."):
        return None
    names = ", ".join(f"x{index}" for index in range(count))
    given = ", ".join([*map(str, parts), *(f"{key}={text}" for key, text in named.items())])
    return _FUNCTION.format(names=names, call=f"{unit.api}({given})")


def _inputs(unit: ModelUnit) -> Iterator[str]:
    tensors = tensor_leaves((unit.args, dict(unit.kwargs)))
    shapes = [tuple(each.shape) for each in tensors]
    seen: List[Sequence[Tuple[int, ...]]] = []
    for side in (*_SIDES, 0):
        small = [_smaller(shape, side) for shape in shapes]
        if small not in seen and len(set(shapes)) == 1:
            seen.append(small)
            yield _making(tensors, small)
    if shapes not in seen:
        yield _making(tensors, shapes)


def _smaller(shape: Tuple[int, ...], side: int) -> Tuple[int, ...]:
    """Return a batch of one, with shorter sides; the shape itself for 0."""
    if not side or len(shape) < 2:
        return shape
    sides = [min(each, side) for each in shape[2:]]
    return (1, shape[1], *sides)


def _making(tensors: Sequence[Any], shapes: Sequence[Tuple[int, ...]]) -> str:
    made = [_tensor(tensor, shape) for tensor, shape in zip(tensors, shapes)]
    return f"inputs = ({', '.join(made)},)"


def _tensor(tensor: Any, shape: Tuple[int, ...]) -> str:
    import torch

    whole = not tensor.is_floating_point()
    if shape == tuple(tensor.shape) and (whole or tensor.numel() <= _MOST_LITERAL):
        numbers = tensor if whole else tensor.float()
        listed = str(numbers.tolist()).replace("nan", "torch.nan").replace("inf", "torch.inf")
        usual = not whole or tensor.dtype in (torch.int64, torch.bool)
        return f"torch.tensor({listed}{'' if usual else f', dtype={tensor.dtype}'})"
    if whole:
        return f"torch.randint({int(tensor.min())}, {int(tensor.max()) + 1}, {shape!r})"
    finite = tensor[tensor.isfinite()]
    low, high = (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 1.0)
    spread, least = _short(high - low), _short(low)
    random = f"torch.rand({shape!r})"
    random = random if spread == 1 else f"{random} * {spread:g}"
    return random if least == 0 else f"{random} {'-' if least < 0 else '+'} {abs(least):g}"


def _short(number: float) -> float:
    if number == 0 or not math.isfinite(number):
        return 0.0
    return float(f"{number:.2g}")


_FUNCTION = """
class Layer(torch.nn.Module):
    def forward(self, {names}):
        return {call}


layer = Layer().eval()
torch.manual_seed(0)"""

_TEXT = """import copy

import torch

{layer}
{inputs}


def double(value):
    return value.double() if value.is_floating_point() else value


def first(value):
    while isinstance(value, (tuple, list)):
        value = value[0]
    return torch.as_tensor(value).double().flatten()


with torch.no_grad():
    expected = first(copy.deepcopy(layer).double()(*map(double, inputs)))
{running}
found = first(found)
print("float64", expected[:8])
print("{execution}", found[:8])
print("largest difference", (found - expected).abs().max().item())
"""
