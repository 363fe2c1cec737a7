"""Rows of the frame ``executed``."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .model_types import ExecutionOutcomes, ExecutionVerdict, Mutation
from .mutation.mutation_grammar import format_mutations

LONGEST = 2_000
MOST_LAYERS, LONGEST_LAYER = 64, 100
"""Limits of the layers whose errors are told, and of their names."""
_UNNAMED = re.compile(r"[^\w.\[\]-]")
_PACKAGES = {
    "torch": ("torch", "onnxruntime", "onnxscript", "openvino"),
    "keras": ("keras", "torch", "jax", "tensorflow"),
}
_EVAL = ".eval()"
MOST_RATIO = 1e12


@dataclass(frozen=True)
class BuiltModel:
    """A model that was built: by which arguments, and the recipe of its inputs, if needed."""

    arguments: Mapping[str, Any]
    inputs: str
    model: Any


@dataclass(frozen=True)
class DepartingExecution:
    """An oracle's verdict on a model, and where in the model it begins.

    ``results`` are what the execution and the reference gave, in words; ``other`` is the
    change of the inputs that shows it, where the inputs as they are do not.
    """

    subject: BuiltModel
    verdict: ExecutionVerdict
    results: Tuple[str, str] = ("", "")
    mutations: Sequence[Mutation] = ()
    located: Optional[Any] = None
    signal: Optional[int] = None
    other: str = ""


def departure_row(departed: DepartingExecution) -> Dict[str, Any]:
    """Return one departure of the frame."""
    verdict, located = departed.verdict, departed.located
    outcome, expected = departed.results
    detail = verdict.detail[:LONGEST]
    ending = {"kind": "violated", "condition": "executes", "detail": detail}
    return {
        "rule": verdict.rule,
        "execution": verdict.execution,
        "arguments": dict(departed.subject.arguments),
        "inputs": departed.subject.inputs,
        "mutations": format_mutations(departed.mutations),
        "other": departed.other,
        "ending": ending if departed.signal is None else None,
        "signal": departed.signal,
        "outcome": outcome[:LONGEST],
        "expected": expected[:LONGEST],
        "error_ratio": _amount(verdict.error_ratio),
        "d_mad": _amount(verdict.d_mad),
        "layer": None if located is None else layer_row(located.place),
        "single": "" if located is None else layer_expression(located.source)[:LONGEST],
        "low": None if located is None else _finite(located.low),
        "high": None if located is None else _finite(located.high),
        "layers": [] if located is None else layer_errors(located.errors),
    }


def format_outputs(outcomes: ExecutionOutcomes, verdict: ExecutionVerdict) -> Tuple[str, str]:
    """Return what an execution gave, and what the reference, where they differ most."""
    own, reference = outcomes[verdict.execution], outcomes["float64"]
    outputs = (own.outputs, reference.outputs)
    if any(verdict.worst >= len(each) for each in outputs):
        return own.detail or own.status, "a result"
    one, other = (each[verdict.worst] for each in outputs)
    if one.shape != other.shape:
        return f"a result of shape {one.shape}", f"one of shape {other.shape}"
    if one.size == 0:
        return "", ""
    place = _worst(one, other)
    where = f" at {[int(each) for each in place]}" if place else ""
    return f"{one[place]:.6g}{where}", f"{other[place]:.6g}"


def _worst(one: Any, other: Any) -> Tuple[Any, ...]:
    import numpy

    with numpy.errstate(all="ignore"):
        apart = numpy.abs(one.astype("float64") - other.astype("float64"))
    apart[numpy.isfinite(one) != numpy.isfinite(other)] = numpy.inf
    flat = int(numpy.argmax(numpy.nan_to_num(apart, nan=0.0, posinf=numpy.inf)))
    return tuple(numpy.unravel_index(flat, one.shape))


def versions(framework: str) -> List[Dict[str, str]]:
    """Return the libraries that take part, and their versions."""
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for package in _PACKAGES[framework]:
        try:
            found.append({"package": package, "version": version(package)})
        except PackageNotFoundError:
            continue
    return found


def layer_row(place: Any) -> Dict[str, Any]:
    """Return a layer of the frame."""
    return {
        "name": place.name,
        "kind": place.kind,
        "path": place.path,
        "line": int(place.line),
        "source": one_line(place.source),
    }


def layer_errors(errors: Sequence[Tuple[str, float]]) -> List[Dict[str, Any]]:
    """Return the last of the layers that were compared, the departing one being the very last."""
    return [
        {
            "layer": _UNNAMED.sub("_", name)[:LONGEST_LAYER],
            "error_ratio": _amount(ratio) if math.isfinite(ratio) else None,
        }
        for name, ratio in errors[-MOST_LAYERS:]
    ]


def one_line(said: str) -> str:
    """Return a text on one line, without backquotes."""
    return " ".join(said.replace("`", "'").split())[:LONGEST]


def layer_expression(program: str) -> str:
    """Return the layer of a one-layer program as an expression: ``torch.nn.ReLU()``, or a call."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            values = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
            return ast.unparse(values[0]) if values and values[0] is not None else ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "layer":
            made = ast.unparse(node.value)
            return made[: -len(_EVAL)] if made.endswith(_EVAL) else made
    return ""


def _amount(value: Optional[float]) -> Optional[float]:
    if value is None or math.isnan(value):
        return None
    return float(min(max(value, 0.0), MOST_RATIO))


def _finite(value: Optional[float]) -> Optional[float]:
    return float(value) if value is not None and math.isfinite(value) else None
