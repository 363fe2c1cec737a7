"""Where a project makes a layer of a Keras model, and how it would be written alone."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .layers import Part, layers

Where = Tuple[str, int]
NOWHERE: Where = ("", 0)
_PLAIN = (bool, int, float, str, type(None))
_NAMED = "keras.initializers"
_ELSEWHERE = ("name", "dtype", "trainable")


def made_at(model: Any, part: Part, root: str = "") -> Where:
    """The file, relative to ``root`` (else the current folder), and the line that makes a layer.

    The attribute of a class that holds it says that, or a ``name``; else the call of the
    same kind and order in the function whose calls are the model's layers.
    """
    own = type(part.owner)
    if not own.__module__.startswith("keras."):
        found = _attribute_of(own, part, root)
        if found is not None:
            return found
    return _function_of(model, part, root)


# ------------------------------------------------------------------- classes


def _attribute_of(kind: type, part: Part, root: str) -> Optional[Where]:
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


def _depth(part: Part) -> int:
    """Which piece of a layer's name is the attribute of its owner: lists add a number."""
    pieces = part.name.split(".")
    return -2 if len(pieces) > 1 and pieces[-1].isdigit() else -1


def _sets(node: Any, attribute: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(each, ast.Attribute) and each.attr == attribute for each in targets)


def _call_line(node: ast.AST, kind: str) -> int:
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call) and _kind(each) == kind]
    return calls[0].lineno if calls else 0


# ----------------------------------------------------------------- functions


def _function_of(model: Any, part: Part, root: str) -> Where:
    kinds = [type(each.layer).__name__ for each in layers(model)]
    best: Tuple[int, Where] = (0, NOWHERE)
    for path, tree in _project_files(root):
        for scope in _scopes(tree):
            calls = [each for each in _calls(scope) if _kind(each) in kinds]
            where = _line_in(calls, part, kinds, _position(model, part))
            fits = len({_kind(each) for each in calls})
            if where and fits > best[0]:
                best = fits, (path, where)
    return best[1]


def _position(model: Any, part: Part) -> int:
    """Which of the layers of its kind it is."""
    same = [each for each in layers(model) if type(each.layer) is type(part.layer)]
    return next(number for number, each in enumerate(same) if each.layer is part.layer)


def _line_in(calls: Sequence[ast.Call], part: Part, kinds: List[str], position: int) -> int:
    kind = type(part.layer).__name__
    same = [each for each in calls if _kind(each) == kind]
    named = [each for each in same if _word(each, "name") == part.layer.name]
    if named:
        return named[0].lineno
    if len(same) == 1:
        return same[0].lineno
    return same[position].lineno if len(same) == kinds.count(kind) else 0


def _scopes(tree: ast.AST) -> Iterator[ast.AST]:
    yield from (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    yield tree


def _calls(scope: ast.AST) -> List[ast.Call]:
    """The calls in a scope in the order in which they stand there."""
    found = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _kind(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _word(call: ast.Call, name: str) -> Any:
    found = [each.value for each in call.keywords if each.arg == name]
    return found[0].value if found and isinstance(found[0], ast.Constant) else None


# --------------------------------------------------------------------- files


def _project_files(root: str) -> Iterator[Tuple[str, ast.AST]]:
    for module in list(sys.modules.values()):
        path = _project_path(module, root)
        tree = None if path is None else _parsed(path, root)
        if path is not None and tree is not None:
            yield path, tree


def _project_path(module: Any, root: str) -> Optional[str]:
    """The file of a module, relative to the project's folder; ``None`` for any other."""
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


# ------------------------------------------------------------------ spelling


def spelled(layer: Any) -> str:
    """A layer of Keras as a call that makes one like it; empty for what has no such text."""
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
    """Whether a value need not be written: the parameter's own, or one without a short text."""
    import keras  # type: ignore[import-untyped]

    unsaid = {"activation": "linear", "data_format": keras.config.image_data_format()}
    return value is None or value == _plain(default) or value == unsaid.get(name)


def _plain(value: Any) -> Any:
    """A value as a literal, an initialiser by its name; ``None`` for what has no text."""
    if isinstance(value, dict):
        told: Dict[str, Any] = value
        return _snake(str(told["class_name"])) if told.get("module") == _NAMED else None
    if isinstance(value, (list, tuple)):
        items = tuple(_plain(each) for each in value)
        return items[0] if len(items) > 0 and len(set(items)) == 1 else items
    return value if isinstance(value, _PLAIN) else None


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(name))
