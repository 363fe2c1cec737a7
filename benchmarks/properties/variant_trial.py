"""One variant of a case tried, in the folder of its project; asked and answered in JSON.

Run as a script by :mod:`benchmarks.properties.verify`.  The expressions know
the target's module ``m``, a seeded generator ``r``, the libraries, and words:
``script(*arguments)`` runs the file as a program, ``finite``, ``unchanged``,
``repeatable`` and ``holds`` are postconditions.
"""

from __future__ import annotations

import ast
import copy
import importlib
import importlib.util
import json
import os
import random
import runpy
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE = "assayer_annotations"


class Violated(Exception):  # noqa: N818 - as the analyzers call it
    """A postcondition does not hold."""


def holds(condition: object) -> None:
    """Raise :class:`Violated` unless the condition does."""
    if not condition:
        raise Violated


def finite(result: Any) -> None:
    """Neither NaN nor infinite anywhere."""
    import numpy as np  # noqa: PLC0415 - late, as all libraries here

    plain = result.detach().numpy() if hasattr(result, "detach") else np.asarray(result)
    holds(np.isfinite(plain).all())


def unchanged(function: Callable[..., Any], *args: Any) -> None:
    """The call leaves its arguments as they were."""
    before = copy.deepcopy(args)
    function(*args)
    holds(_same(before, args))


def repeatable(function: Callable[..., Any], *args: Any) -> None:
    """Two calls return the same."""
    first = copy.deepcopy(function(*copy.deepcopy(args)))
    holds(_same(first, function(*copy.deepcopy(args))))


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    if hasattr(left, "shape"):
        return left.shape == right.shape and bool((left == right).all())
    return bool(left == right)


def main() -> None:
    """Read what is asked and print what was seen."""
    asked = json.load(sys.stdin)
    warnings.simplefilter("ignore")
    os.environ.setdefault("KERAS_BACKEND", "torch")
    sys.path.insert(0, str(Path.cwd()))
    _annotations()
    namespace = _namespace(asked["path"])
    exec(asked["setup"], namespace)
    seen = [_seen(expression, namespace) for expression in asked["expressions"]]
    print("\n" + json.dumps(seen))


def _annotations() -> None:
    """Decorators that do nothing, where the package is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        module = types.ModuleType(PACKAGE)
        module.__getattr__ = _word  # type: ignore[method-assign]
        sys.modules[PACKAGE] = module


def _word(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _decorator


def _decorator(*args: Any, **_: Any) -> Any:
    """Both ``@word`` and ``@word(...)``, and a constraint."""
    if (
        len(args) == 1
        and isinstance(args[0], types.FunctionType)
        and args[0].__name__ != "<lambda>"
    ):
        return args[0]
    return lambda function: function


def _namespace(path: str) -> dict[str, Any]:
    def script(*arguments: str) -> Any:
        sys.argv = [path, *arguments]
        return runpy.run_path(path, run_name="__main__")

    found: dict[str, Any] = {"r": random.Random(7), "script": script, "path": path}
    found |= {word.__name__: word for word in (finite, unchanged, repeatable, holds)}
    source = Path(path).read_text("utf-8")
    for name in ("torch", "numpy", "keras", "jax"):
        if name in ("torch", "numpy") or name in source:
            found[name] = importlib.import_module(name)
    found["np"] = found["numpy"]
    found["torch"].manual_seed(7)
    if "@module_test" not in source:
        try:
            found["m"] = importlib.import_module(path.removesuffix(".py").replace("/", "."))
        except Exception as error:  # noqa: BLE001 - an import can be the bug
            found["m"] = _Unimportable(error)
    return found


class _Unimportable:
    """A module that cannot be imported: raises so at every use."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, _: str) -> Any:
        raise self._error


def _seen(expression: str, namespace: dict[str, Any]) -> dict[str, Any]:
    told = {"exception": None, "path": "", "line": 0, "refused": False, "message": ""}
    try:
        eval(expression, namespace)
    except SystemExit as error:
        if error.code:
            told |= {"exception": "SystemExit", "message": str(error)}
    except BaseException as error:  # noqa: BLE001 - whatever it raises is what is asked for
        told |= {"exception": type(error).__name__, "message": str(error)[:200]}
        told |= _place(error)
    return {"expression": expression, **told}


def _place(error: BaseException) -> dict[str, Any]:
    root = Path.cwd()
    ours = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if (root / frame.filename).is_file()
        and root in (root / frame.filename).resolve().parents
        and frame.filename != __file__
    ]
    frames = traceback.extract_tb(error.__traceback__)
    if not ours:
        return {}
    last = ours[-1]
    path = (root / last.filename).resolve().relative_to(root).as_posix()
    deliberate = frames[-1] == last and _raises(Path(last.filename), last.lineno or 0)
    return {"path": path, "line": last.lineno, "refused": deliberate}


def _raises(path: Path, line: int) -> bool:
    """Whether a line belongs to a raise or an assert."""
    return any(
        isinstance(node, (ast.Raise, ast.Assert)) and node.lineno <= line <= (node.end_lineno or 0)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


if __name__ == "__main__":
    main()
