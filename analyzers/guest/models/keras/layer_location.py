"""Location of a Keras model's layers in the project, and the first that departs."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..model_types import RATIO, LayerLocation, LocatedLayer, ModelUnderTest
from .array_frames import NotSerializable, arrays_in
from .keras_calls import (
    NamedLayer,
    deserialize_with_precision,
    named_layers,
    of_inputs,
    of_precision,
    record_layer_calls,
    replay_layers,
    to_numpy,
)
from .keras_executions import BACKENDS, EPS32, RemoteModel
from .serialized_model import serialize_model

Where = Tuple[str, int]
NOWHERE: Where = ("", 0)
_PLAIN = (bool, int, float, str, type(None))
_NAMED = "keras.initializers"
_ELSEWHERE = ("name", "dtype", "trainable")


def construction_line(model: Any, part: NamedLayer, root: str = "") -> Where:
    """Return file and line that make a layer, by attribute, ``name`` or its order of calls."""
    own = type(part.owner)
    if not own.__module__.startswith("keras."):
        found = _attribute_of(own, part, root)
        if found is not None:
            return found
    return _function_of(model, part, root)


def _attribute_of(kind: type, part: NamedLayer, root: str) -> Optional[Where]:
    path = _project_path(sys.modules.get(kind.__module__), root)
    tree = None if path is None else _parsed(path, root)
    if path is None or tree is None:
        return None
    bodies = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == kind.__name__]
    attribute = part.name.split(".")[_depth(part)]
    for body in bodies:
        for node in ast.walk(body):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and _sets(node, attribute):
                return path, _call_line(node, type(part.layer).__name__) or node.lineno
    return None


def _depth(part: NamedLayer) -> int:
    """Return which piece of a layer's name is the attribute of its owner: lists add a number."""
    pieces = part.name.split(".")
    return -2 if len(pieces) > 1 and pieces[-1].isdigit() else -1


def _sets(node: Any, attribute: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(each, ast.Attribute) and each.attr == attribute for each in targets)


def _call_line(node: ast.AST, kind: str) -> int:
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call) and _kind(each) == kind]
    return calls[0].lineno if calls else 0


def _function_of(model: Any, part: NamedLayer, root: str) -> Where:
    layers = [each.layer for each in named_layers(model)]
    kinds = [type(each).__name__ for each in layers]
    same = [each for each in layers if type(each) is type(part.layer)]
    position = next(number for number, each in enumerate(same) if each is part.layer)
    best: Tuple[int, Where] = (0, NOWHERE)
    for path, tree in _project_files(root):
        inner = (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
        for scope in (*inner, tree):
            found = [n for n in ast.walk(scope) if isinstance(n, ast.Call) and _kind(n) in kinds]
            calls = sorted(found, key=lambda call: (call.lineno, call.col_offset))
            where = _line_in(calls, part, kinds, position)
            fits = len({_kind(each) for each in calls})
            if where and fits > best[0]:
                best = fits, (path, where)
    return best[1]


def _line_in(calls: Sequence[ast.Call], part: NamedLayer, kinds: List[str], position: int) -> int:
    kind = type(part.layer).__name__
    same = [each for each in calls if _kind(each) == kind]
    named = [
        call
        for call in same
        for each in call.keywords
        if each.arg == "name" and ast.unparse(each.value) == repr(part.layer.name)
    ]
    if named:
        return named[0].lineno
    if len(same) == 1:
        return same[0].lineno
    return same[position].lineno if len(same) == kinds.count(kind) else 0


def _kind(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _project_files(root: str) -> Iterator[Tuple[str, ast.AST]]:
    for module in list(sys.modules.values()):
        path = _project_path(module, root)
        tree = None if path is None else _parsed(path, root)
        if path is not None and tree is not None:
            yield path, tree


def _project_path(module: Any, root: str) -> Optional[str]:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return None
    relative = os.path.relpath(file, root or Path.cwd())
    outside = relative.startswith("..") or "site-packages" in relative
    ours = str(getattr(module, "__name__", "")).startswith((__package__ or "").split(".")[0])
    return None if outside or ours else relative


def _parsed(path: str, root: str) -> Optional[ast.AST]:
    try:
        return ast.parse(Path(root, path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def keras_layer_source(layer: Any) -> str:
    """Return a layer of Keras as a call that makes one like it; empty for what has no such text."""
    kind = type(layer)
    if not kind.__module__.startswith("keras."):
        return ""
    try:
        config: Dict[str, Any] = layer.get_config()
        parameters = inspect.signature(inspect.getattr_static(kind, "__init__")).parameters
    except Exception:
        return ""
    words: List[str] = []
    for name, parameter in parameters.items():
        if name not in config or name in _ELSEWHERE:
            continue
        value = _plain(config[name])
        if value is None and parameter.default is parameter.empty:
            return ""
        if not _is_usual(name, value, parameter.default):
            words.append(f"{name}={value!r}")
    return f"keras.layers.{kind.__name__}({', '.join(words)})"


def _is_usual(name: str, value: Any, default: Any) -> bool:
    import keras  # type: ignore[import-untyped]

    unsaid = {"activation": "linear", "data_format": keras.config.image_data_format()}
    return value is None or value == _plain(default) or value == unsaid.get(name)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        told: Dict[str, Any] = value
        return _snake(str(told["class_name"])) if told.get("module") == _NAMED else None
    if isinstance(value, (list, tuple)):
        items = tuple(_plain(each) for each in value)
        return items[0] if len(items) > 0 and len(set(items)) == 1 else items
    return value if isinstance(value, _PLAIN) else None


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(name))


def first_departing_keras_layer(
    model: ModelUnderTest, execution: str, root: str = ""
) -> Optional[LocatedLayer]:
    """Return the first layer that departs by ``RATIO`` elsewhere; raises ``Unsupported``."""
    backend = execution[len("keras-") :]
    if execution != f"keras-{backend}" or backend not in BACKENDS:
        return None
    arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
    inputs, keywords = of_inputs(arguments, "float64")
    wide = deserialize_with_precision(serialize_model(model), (inputs, keywords), "float64")
    with of_precision("float64"):
        steps = record_layer_calls(wide, inputs, keywords)
    asked = [(step.layer, of_inputs(step.arguments, "float32")) for step in steps]
    expected = replay_layers(wide, asked, "float64")
    own = replay_layers(model.module, asked, "float32")
    remote = RemoteModel(backend, model)
    found = [remote.replayed([each])[0] for each in asked]
    parts, errors = named_layers(model.module), []
    for (layer, given), outcomes in zip(asked, zip(expected, own, found)):
        measured = _ratio(*outcomes)
        errors.append((parts[layer].name, measured))
        if measured >= RATIO:
            where = construction_line(model.module, parts[layer], root)
            located = _located(parts[layer], measured, given, where)
            return replace(located, errors=tuple(errors))
    return None


def _ratio(expected: Tuple[bool, Any], own: Tuple[bool, Any], found: Tuple[bool, Any]) -> float:
    if not (expected[0] and own[0]):
        return 0.0
    if not found[0]:
        return float("inf")
    try:
        outputs = [arrays_in(each[1]) for each in (expected, own, found)]
    except NotSerializable:
        return 0.0
    if len({tuple(each.shape for each in output) for output in outputs}) > 1:
        return float("inf")
    return max((_apart(*each) for each in zip(*outputs)), default=0.0)


def _apart(expected: Any, own: Any, found: Any) -> float:
    import numpy

    if expected.dtype.kind not in "fc":
        same = numpy.array_equal(own, expected) and not numpy.array_equal(found, expected)
        return float("inf") if same else 0.0
    finite = numpy.isfinite(expected) & numpy.isfinite(own)
    if not numpy.isfinite(found[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    scale = float(numpy.abs(expected[finite]).max())
    error = float(numpy.abs(found[finite] - expected[finite]).max())
    noise = float(numpy.abs(own[finite] - expected[finite]).max())
    return error / max(noise, EPS32 * scale, 2.0**-126)


def _located(part: NamedLayer, ratio: float, given: Any, where: Where) -> LocatedLayer:
    source = keras_layer_source(part.layer)
    place = LayerLocation(part.name, type(part.layer).__name__, *where, source)
    import numpy

    numbers = [each[numpy.isfinite(each)] for each in arrays_in(given) if each.dtype.kind in "fiu"]
    low = min((float(each.min()) for each in numbers if each.size), default=None)
    high = max((float(each.max()) for each in numbers if each.size), default=None)
    return LocatedLayer(place, source, ratio, low, high, confirmed=True)
