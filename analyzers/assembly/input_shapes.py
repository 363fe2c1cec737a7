"""Inputs that a model may be called with, by the first layer that it builds."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from analyzers.assembly.parameter_flow import BuiltLayer, Function, ParameterFlow, depends, names_of
from analyzers.inference.shape_interpreter.project_modules import defaults_of

_SHAPES: Mapping[str, tuple[str, ...]] = {
    "Conv1d": ("2, {}, 32", "2, {}, 128"),
    "Conv2d": ("2, {}, 32, 32", "2, {}, 28, 28", "2, {}, 64, 64", "2, {}, 8, 8"),
    "Conv3d": ("2, {}, 16, 16, 16",),
    "BatchNorm1d": ("2, {}", "2, {}, 8"),
    "BatchNorm2d": ("2, {}, 16, 16",),
    "Linear": ("2, {}", "2, 5, {}"),
    "LayerNorm": ("2, {}", "2, 5, {}"),
    "LSTM": ("2, 5, {}",),
    "GRU": ("2, 5, {}",),
    "RNN": ("2, 5, {}",),
    "TransformerEncoderLayer": ("2, 5, {}",),
    "MultiheadAttention": ("2, 5, {}",),
}
_OPERATIONS: Mapping[type[ast.operator], Callable[[int, int], int | None]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda left, right: left // right if right else None,
    ast.Pow: lambda left, right: left**right if 0 <= right <= 3 else None,
}
_EMBEDDING = "Embedding"
_MOST = 8


def inputs(function: Function, built: Sequence[BuiltLayer], text: str) -> tuple[str, ...]:
    """Sources of inputs to be tried, the likeliest first; none where no layer tells."""
    known = names_of(text)
    torch = known.spelled("torch") or "__import__('torch')"
    found = (each for layer in built for each in _of(layer, function, torch))
    return tuple(dict.fromkeys(found))[:_MOST]


def _of(layer: BuiltLayer, function: Function, torch: str) -> Iterator[str]:
    kind = layer.api.name.rpartition(".")[2]
    if kind == _EMBEDDING:
        yield f"{torch}.zeros((2, 8), dtype={torch}.int64)"
        return
    first = layer.api.parameters[0].name if layer.api.parameters else ""
    argument = layer.arguments.get(first)
    size = None if argument is None else value_of(argument, function)
    if size is not None:
        for shape in _SHAPES.get(kind, ()):
            yield f"{torch}.rand(({shape.format(size)}))"


def recipe_of(given: str) -> str:
    """Return the recipe of a tuple of ordinary numbers, of the shape of one of the sources."""
    call = ast.parse(given, mode="eval").body
    assert isinstance(call, ast.Call)
    shape = ast.unparse(call.args[0])
    if call.keywords:
        return f"(tensor({shape}, 'int64'),)"
    return f"(tensor({shape}, seed=1, low=-1.0, high=1.0),)"


def value_of(expression: ast.expr, function: Function) -> int | None:
    """Return the value of an expression of integers and parameters with defaults, if small."""
    return _value(expression, defaults_of(function.args))


def _value(node: ast.expr, known: Mapping[str, ast.expr], depth: int = 8) -> int | None:
    if depth == 0:
        return None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        default = known.get(node.id)
        return None if default is None else _value(default, known, depth - 1)
    if isinstance(node, ast.BinOp):
        return _computed(node, known, depth)
    return None


def _computed(node: ast.BinOp, known: Mapping[str, ast.expr], depth: int) -> int | None:
    left, right = (_value(each, known, depth - 1) for each in (node.left, node.right))
    if left is None or right is None or max(abs(left), abs(right)) > 1 << 20:
        return None
    compute = _OPERATIONS.get(type(node.op))
    return None if compute is None else compute(left, right)


_EXPECTED = (
    re.compile(r"shapes cannot be multiplied \(\d+x\d+ and (?P<size>\d{1,9})x\d+\)"),
    re.compile(r"expected input\[[\d, ]*\] to have (?P<size>\d{1,9}) channels"),
    re.compile(r"normalized_shape=\[(?P<size>\d{1,9})\], expected input"),
    re.compile(r"running_mean should contain \d+ elements not (?P<size>\d{1,9})"),
    re.compile(r"input\.size\(-1\) must be equal to input_size\. Expected (?P<size>\d{1,9})"),
)
_OF_INPUT = frozenset(
    {
        "in_channels",
        "in_features",
        "num_embeddings",
        "normalized_shape",
        "num_features",
        "input_size",
        "d_model",
        "embed_dim",
    }
)


def other_legal_values(flow: ParameterFlow, default: int) -> tuple[int, ...]:
    """Other values of a parameter of a layer, within its legal range, near the default."""
    low = flow.parameter.low if flow.parameter.low is not None else 0
    high = flow.parameter.high if flow.parameter.high is not None else 1 << 20
    values = dict.fromkeys((default + 1, default + 2, 2 * default))
    return tuple(v for v in values if v != default and low <= v <= high)


def is_free(flow: ParameterFlow) -> bool:
    """Return whether a layer takes other values of a parameter without asking for another input."""
    return "int" in flow.parameter.kinds and flow.parameter.name not in _OF_INPUT


def expected_size(detail: str) -> int | None:
    """Return the size that a layer was built for, from torch's words on another one."""
    found = (pattern.search(detail) for pattern in _EXPECTED)
    return next((int(match["size"]) for match in found if match), None)


def built_for(
    size: int, given: str, function: Function, built: Sequence[BuiltLayer]
) -> BuiltLayer | None:
    """Return the one layer that is built for a size whatever the parameter ``given`` is."""
    found = [
        each
        for each in built
        if each.api.parameters
        and (argument := each.arguments.get(each.api.parameters[0].name)) is not None
        and value_of(argument, function) == size
        and given not in depends(function, argument)
    ]
    return found[0] if len(found) == 1 else None
