"""The result of a call and the arguments after it, described for comparison with another run.

A description is a tree: ``array`` (type, dtype, shape, device, and numbers at even
steps of its elements), ``number``, ``text``, ``parts`` (of a container or an object)
and ``object`` for everything else.  NaN and infinity stand as texts.
"""

from __future__ import annotations

import dataclasses
import hashlib
import marshal
import math
import re
import sys
from typing import Any, Dict, Iterable, List, Mapping, Tuple

from .call_outcomes import shown

DEEPEST = 5
MOST_NODES = 64
MOST_NUMBERS = 64
_WITHOUT_REFERENCES = 2
"""Version of ``marshal`` whose bytes depend on values alone, not on who else holds them."""
_TEXTS = (str, bytes, bool, int, complex, type(None))
Description = Dict[str, Any]
LONGEST_KEY = 300
LONGEST_TYPE = 100
_UNUSUAL = re.compile(r"[^\w.<>\[\]=, ]")
"""Other characters: names of structured NumPy dtypes have them, and the host refuses them."""


class Describer:
    """Describes the values of one call, with a limit on their number."""

    def __init__(self) -> None:
        self._nodes = 0

    def describe(self, value: Any, depth: int = 0) -> Description:
        """Return the description of a value; ``object`` beyond the limits."""
        self._nodes += 1
        name = _type_name(type(value).__name__)
        if depth > DEEPEST or self._nodes > MOST_NODES or isinstance(value, type):
            return {"kind": "object", "type": name}
        if isinstance(value, float):
            return {"kind": "number", "type": name, "number": _number(value)}
        if isinstance(value, _TEXTS):
            return {"kind": "text", "type": name, "text": shown(value)}
        if hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "ndim"):
            return _array(value)
        access, parts = _parts(value)
        if access:
            return {
                "kind": "parts",
                "type": name,
                "access": access,
                "size": len(parts),
                "parts": {key: self.describe(each, depth + 1) for key, each in parts[:MOST_NODES]},
            }
        return {"kind": "object", "type": name}


def _parts(value: Any) -> Tuple[str, List[Tuple[str, Any]]]:
    """Return the way to the parts of a value, and the parts by index, key or name."""
    if isinstance(value, Mapping):
        keyed = [(_key(key), each) for key, each in value.items()]
        return ("key", keyed) if all(key for key, _ in keyed) else ("", [])
    if isinstance(value, (list, tuple)):
        return "index", [(str(number), each) for number, each in enumerate(value)]
    if hasattr(value, "state_dict") and hasattr(value, "named_parameters"):
        keyed = [(_key(key), each) for key, each in value.state_dict().items()]
        return "state", [each for each in keyed if each[0]]
    if hasattr(value, "param_groups") and hasattr(value, "step"):
        return "attribute", [("param_groups", value.param_groups)]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return "attribute", [(name, getattr(value, name)) for name in names]
    return "", []


def _key(key: object) -> str:
    """Return a key as a literal; nothing where it is none, or too long.

    Those of NumPy and of enumerations are the text or number that they are.
    """
    text = ""
    if isinstance(key, str):
        text = repr(str.__str__(key))
    elif isinstance(key, int):
        text = repr(key) if isinstance(key, bool) else int.__repr__(key)
    return text if len(text) <= LONGEST_KEY else ""


def _number(value: float) -> Any:
    if math.isnan(value):
        return "nan"
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def steps(size: int) -> Iterable[int]:
    """Return the flat indices of the elements that are described."""
    return range(0, size, max(1, -(-size // MOST_NUMBERS)))


def _type_name(text: str) -> str:
    return _UNUSUAL.sub("", text)[:LONGEST_TYPE]


def _array(value: Any) -> Description:
    """Return the description of a tensor or array; without numbers where it has none to read.

    One of which not all sides are known, as a symbolic tensor, is described in words.
    """
    name, dtype = _type_name(type(value).__name__), _type_name(str(value.dtype))
    try:
        shape = [int(side) for side in value.shape]
    except (TypeError, ValueError, RuntimeError):
        return {"kind": "text", "type": name, "text": shown(f"{dtype} of shape {value.shape}")}
    found: Description = {
        "kind": "array",
        "type": name,
        "dtype": dtype,
        "shape": shape,
        "device": str(getattr(value, "device", "")) if hasattr(value, "requires_grad") else "",
    }
    numbers = _as_floats(value)
    if numbers is None or list(numbers.shape) != shape:
        return {**found, "numbers": [], "sum": 0.0, "absolute": 0.0}
    import numpy

    flat = numbers.reshape(-1)
    finite = flat[numpy.isfinite(flat)]
    return {
        **found,
        "numbers": [_number(float(flat[each])) for each in steps(flat.size)],
        "sum": _number(float(finite.sum())),
        "absolute": _number(float(numpy.abs(finite).sum())),
        "finite": int(finite.size),
    }


def _as_floats(value: Any) -> Any:
    """Return an array's elements as float64; ``None`` for complex, sparse and other elements."""
    import numpy

    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            if value.is_complex() or value.is_quantized or str(value.layout) != "torch.strided":
                return None
            return value.double().numpy()
        found = numpy.asarray(value)
        return found.astype("float64") if found.dtype.kind in "fiub" else None
    except Exception:
        return None


def random_state() -> List[Any]:
    """Return the states of the random number generators in use, to be compared."""
    import random

    found: List[Any] = [random.getstate()]
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random"):
        state = numpy.random.get_state()  # type: ignore[union-attr]
        found.append((state[1].tobytes(), state[2], state[3]))
    generator: Any = getattr(sys.modules.get("torch"), "default_generator", None)
    if hasattr(generator, "get_state"):
        found.append(generator.get_state().numpy().tobytes())
    return found


def random_digest() -> str:
    """Return a digest of the states of the random number generators in use."""
    plain = marshal.dumps(random_state(), _WITHOUT_REFERENCES)
    return hashlib.sha256(plain).hexdigest()[:16]


def observation(
    result: Any, arguments: Mapping[str, Any], *, drew: bool, state: str = ""
) -> Description:
    """Return the observation of a call that returned.

    ``arguments`` are the values after the call, by parameter; of these, arrays and
    containers are described.  ``drew``: it drew random numbers.
    """
    describer = Describer()
    described = describer.describe(result)
    after = {name: describer.describe(value) for name, value in arguments.items()}
    kept = {name: each for name, each in after.items() if each["kind"] in ("array", "parts")}
    return {"result": described, "arguments": kept, "random": drew, "state": state}
