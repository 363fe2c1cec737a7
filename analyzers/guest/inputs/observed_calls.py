"""Says of a value, in the words of aN, what it is."""

from __future__ import annotations

import ast
import contextlib
import dis
import math
import sys
import threading
import weakref
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, Tuple

from ..annotations.annotation_reader import definitions
from ..runtime.execution import PreparedTarget

NamedLine = Tuple[str, str, int]


def functions_by_line(prepared: PreparedTarget, functions: Sequence[str]) -> Dict[NamedLine, str]:
    """Names by file, plain name and line; a decorated function may begin at either line.

    ``functions`` are qualified names, of other files behind their path (``path::Qualified.name``).
    """
    found: Dict[NamedLine, str] = {}
    paths = {prepared.path, *(each.partition("::")[0] for each in functions if "::" in each)}
    for path in sorted(paths):
        file = Path(prepared.root, path).resolve()
        text = prepared.sources.get(path)
        if text is None and not file.is_file():
            continue
        for name, node in definitions(ast.parse(text or file.read_text("utf-8", "replace"))):
            whole = f"{path}::{name}"
            wanted = name if path == prepared.path and whole not in functions else whole
            if wanted in functions:
                for line in (node.lineno, *(each.lineno for each in node.decorator_list)):
                    found[str(file), node.name, line] = wanted
    return found


_MOST_ITEMS = 8
_LONGEST = 400
_DEEPEST = 3


def summarize(value: Any, depth: int = 0) -> Optional[str]:
    """Return a constraint that holds of a value: plain ones exactly, arrays by dtype and bounds."""
    exact = _exact(value, depth)
    if exact is not None:
        return f"froms([{exact}])" if len(exact) <= _LONGEST else None
    describe = _DESCRIBED.get(_library(value))
    if describe is not None:
        return describe(value)
    if type(value) in (list, tuple) and depth < _DEEPEST:
        return _several(value, depth)
    return None


def _exact(value: Any, depth: int) -> Optional[str]:
    kind = type(value)
    if kind in (bool, type(None)) or (kind is str and len(value) <= 200):
        return repr(value)
    if kind is int:
        return repr(value) if abs(value) < 2**63 else None
    if kind is float:
        return repr(value) if math.isfinite(value) else None
    if kind in (list, tuple) and depth < _DEEPEST and len(value) <= 64:
        return _bracketed([_exact(each, depth + 1) for each in value], kind)
    if kind is dict and depth < _DEEPEST and len(value) <= _MOST_ITEMS:
        return _mapping(value, depth)
    return None


def _bracketed(items: List[Optional[str]], kind: type) -> Optional[str]:
    known = [each for each in items if each is not None]
    if len(known) != len(items):
        return None
    inside = ", ".join(known)
    if kind is list:
        return f"[{inside}]"
    return f"({inside},)" if len(known) == 1 else f"({inside})"


def _mapping(value: Dict[Any, Any], depth: int) -> Optional[str]:
    parts = []
    for key, each in value.items():
        name, said = _exact(key, _DEEPEST), _exact(each, depth + 1)
        if name is None or said is None:
            return None
        parts.append(f"{name}: {said}")
    return "{" + ", ".join(parts) + "}"


def _several(value: Any, depth: int) -> Optional[str]:
    if not 0 < len(value) <= _MOST_ITEMS:
        return None
    inner = [summarize(each, depth + 1) for each in value]
    known = [each for each in inner if each is not None]
    if len(known) != len(inner):
        return None
    if isinstance(value, tuple):
        return f"tuples({', '.join(known)})"
    if len(set(known)) == 1:
        return f"lists({known[0]}, min_len={len(known)}, max_len={len(known)})"
    return None


# ------------------------------------------------------------------- arrays


def _library(value: Any) -> str:
    """The library whose array a value is; of a subclass nothing is said."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name.startswith("jaxlib.") and kind.__name__ == "ArrayImpl":
        return "jax"
    if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and hasattr(value, "item"):
        return "scalar"
    return _NAMES.get(name, "")


_NAMES = {
    "torch.Tensor": "torch",
    "torch.nn.parameter.Parameter": "torch",
    "numpy.ndarray": "numpy",
}


def _torch(value: Any) -> Optional[str]:
    if getattr(value, "is_sparse", False) or str(value.layout) != "torch.strided":
        return None
    dtype = str(value.dtype).rpartition(".")[2]
    found = _words(dtype, tuple(value.shape), _torch_bounds(value, dtype))
    return f"tensors({found})"


def _torch_bounds(value: Any, dtype: str) -> List[str]:
    if dtype == "bool" or dtype.startswith("complex") or value.numel() == 0:
        return []
    plain = value.detach()
    if plain.is_floating_point() and not bool(plain.isfinite().all()):
        return ["finite=False"]
    return _bounds(plain.min().item(), plain.max().item())


def _numpy(value: Any) -> Optional[str]:
    return _from_array("np_arrays", value)


def _jax(value: Any) -> Optional[str]:
    import numpy

    return _from_array("jax_arrays", numpy.asarray(value))


def _from_array(kind: str, value: Any) -> Optional[str]:
    import numpy

    if value.dtype.kind not in "biufc":
        return None
    bounds: List[str] = []
    if value.size and value.dtype.kind in "iuf":
        if value.dtype.kind == "f" and not bool(numpy.isfinite(value).all()):
            bounds = ["finite=False"]
        else:
            bounds = _bounds(value.min().item(), value.max().item())
    return f"{kind}({_words(str(value.dtype), tuple(value.shape), bounds)})"


def _words(dtype: str, shape: Any, bounds: List[str]) -> str:
    sizes = tuple(int(size) for size in shape)
    return ", ".join([f"dtype={dtype!r}", f"shape={sizes!r}", *bounds])


def _bounds(low: Any, high: Any) -> List[str]:
    return [f"min={low!r}", f"max={high!r}"]


def _scalar(value: Any) -> Optional[str]:
    return summarize(value.item()) if type(value.item()) in (bool, int, float) else None


_DESCRIBED: Dict[str, Callable[[Any], Optional[str]]] = {
    "torch": _torch,
    "numpy": _numpy,
    "jax": _jax,
    "scalar": _scalar,
}

_LONGEST_CALL = 500
_MOST_INSTANCES = 1000
_MOST_OF_ONE = 200
_SELVES = ("self", "cls")
_RETURNS = ("RETURN", "YIELD", "INSTRUMENTED_RETURN", "INSTRUMENTED_YIELD", "SUSPEND")


class CallRecorder:
    """Records at most ``most`` different calls of a file's functions, and each test's outcome."""

    def __init__(self, names: Mapping[NamedLine, str], most: int) -> None:
        self.test = ""
        self._names = names
        self._lines = {(name, line) for _, name, line in names}
        self._most = most
        self._codes: Dict[CodeType, Optional[str]] = {}
        self._begun: Dict[str, int] = {}
        self._running: Dict[int, Dict[str, Any]] = {}
        self._found: Dict[str, Dict[str, Any]] = {}
        self._made: Dict[int, Tuple[Any, Dict[str, str]]] = {}
        self._busy = False
        self.outcomes: Dict[str, bool] = {}

    def ended(self, test: str, *, passed: bool) -> None:
        """Note how a test, or a stage of it, ended."""
        if test in self.outcomes or len(self.outcomes) < self._most:
            self.outcomes[test] = self.outcomes.get(test, True) and passed

    def calls(self) -> List[Dict[str, Any]]:
        """Return what was recorded, in order."""
        return list(self._found.values())

    def is_about(self, code: CodeType) -> bool:
        """Return whether calls of a code object are recorded."""
        if code not in self._codes:
            self._codes[code] = self._named(code)
        return self._codes[code] is not None

    @contextmanager
    def listening(self) -> Generator[None, None, None]:
        """Record what happens inside."""
        threading.setprofile(self.hear)
        sys.setprofile(self.hear)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take an event of tracing or profiling."""
        del argument
        if event not in ("call", "return") or self._busy or not self.is_about(frame.f_code):
            return
        name = str(self._codes[frame.f_code])
        self._busy = True
        try:
            if event == "call":
                self._begin(name, frame)
            else:
                self._end(frame)
        except Exception:
            self._running.pop(id(frame), None)
        finally:
            self._busy = False

    def _named(self, code: CodeType) -> Optional[str]:
        if (code.co_name, code.co_firstlineno) not in self._lines:
            return None
        file = str(Path(code.co_filename).resolve())
        return self._names.get((file, code.co_name, code.co_firstlineno))

    def _begin(self, name: str, frame: FrameType) -> None:
        self._begun[name] = self._begun.get(name, 0) + 1
        if len(self._found) >= self._most or self._begun[name] > _MOST_OF_ONE:
            return
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        arguments: Dict[str, str] = {}
        instance = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        for place, parameter in enumerate(code.co_varnames[:count]):
            if (place == 0 and parameter in _SELVES) or parameter not in frame.f_locals:
                continue
            text = summarize(frame.f_locals[parameter])
            if text is not None and len(text) <= _LONGEST_CALL:
                arguments[parameter] = text
        self._running[id(frame)] = {
            "function": name,
            "arguments": arguments,
            "test": self.test,
            "raised": False,
            **self._instance(name, arguments, instance),
        }

    def _instance(self, name: str, arguments: Dict[str, str], instance: Any) -> Dict[str, Any]:
        """Note what an instance is made of; return that of one whose making was seen."""
        owner = type(instance).__qualname__
        if name == f"{owner}.__init__" and len(self._made) < _MOST_INSTANCES:
            with contextlib.suppress(TypeError):
                self._made[id(instance)] = weakref.ref(instance), arguments
        made, given = self._made.get(id(instance), (None, {}))
        if made is None or made() is not instance or name.endswith(".__init__"):
            return {}
        return {"owner": owner, "constructor": given}

    def _end(self, frame: FrameType) -> None:
        call = self._running.pop(id(frame), None)
        if call is None:
            return
        call["raised"] = not _returns(frame)
        key = repr([each for name, each in call.items() if name != "test"])
        self._found.setdefault(key, call)


def _returns(frame: FrameType) -> bool:
    at = frame.f_lasti
    code = frame.f_code.co_code
    return 0 <= at < len(code) and dis.opname[code[at]].startswith(_RETURNS)
