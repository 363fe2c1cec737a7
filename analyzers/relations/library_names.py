"""Names of a library that the text of a call may use: those of what only computes.

Such texts come from guests and end up in reports, suggestions and reproducers, which
people run.  ``torch.os.system`` and ``torch.load`` are names of the library, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from analyzers.guest.inputs.makers import MAKERS

_SERIES = "polynomial|chebyshev|hermite|hermite_e|laguerre|legendre"
_ROOMS = {
    "torch": "nn|nn.functional|nn.init|nn.attention|nn.utils(.rnn|.parametrize|.parametrizations)?"
    "|Tensor|linalg|fft|special|sparse|signal.windows|nested|masked|ops.aten|functional|func"
    "|autograd|autograd.functional|_refs(.nn|.nn.functional|.linalg|.fft|.special|._conversions)?"
    "|_C._nn|_C._special|_C._linalg|_C._fft|_C._VariableFunctions|_C.TensorBase|_VF"
    "|_decomp.decompositions|_prims|distributions|ao.nn.quantized",
    "numpy": f"linalg|fft|ma|char|strings|emath|polynomial(.({_SERIES}))?|random|ndarray",
    "jax": "numpy(.linalg|.fft)?|lax|nn(.initializers)?|random|Array"
    "|scipy(.special|.linalg|.stats)",
    "keras": "ops|layers|activations|losses|metrics|initializers|random",
    "tensorflow": "math|nn|linalg|signal|strings|sparse|image|bitwise"
    "|keras.(layers|activations|losses|metrics|initializers|ops|random)",
}
_ACTS = re.compile(
    r"(?:^|_)(?:loads?|loadtxt|save[zt]?\w*|dumps?|tofile|fromfile|file|memmap|genfromtxt"
    r"|fromregex|DataSource|hub|compile\w*|download|plot|print\w*|import|eval|exec|system"
    r"|function|callback|tests?|show|open|TFSMLayer)(?:_|$)"
)
_PLAIN = frozenset({"slice", "range", "complex", "int", "float", "bool"})
_NUMBERS = frozenset({"inf", "nan"})
_CLASS = re.compile(r"Size|Generator|\w*Tensor|_cast_\w+")
"""What is capitalised directly in ``torch``, where all that ``torch._C`` has stands, too."""


def harmless(text: str) -> bool:
    """Return whether a text names nothing but what computes; ``""`` does."""
    tree = parsed(text or "0")
    return tree is not None and _all(_names(tree), _computes)


def harmless_template(text: str) -> bool:
    """As :func:`harmless`, over parameters and their attributes: ``input.ndim``."""
    tree = parsed(text)
    if tree is None or not _all(_called(tree), _computes):
        return False
    return _all(_names(tree), lambda name: _computes(name) or _is_parameter(name))


def harmless_words(text: str) -> bool:
    """Return whether a text is no call at all (words), or a harmless one over parameters."""
    tree = parsed(text)
    return not isinstance(tree, ast.Call) or harmless_template(text)


def is_line(text: str) -> bool:
    """Return whether a text is one expression alone: no comment, no line break, nothing unseen."""
    tree = parsed(text)
    end = len(text.encode("utf-8", "replace"))
    at = tree and (tree.col_offset, tree.end_col_offset)
    return text.isprintable() and at == (0, end)


def _all(names: Iterable[str], allowed: Callable[[str], bool]) -> bool:
    try:
        return all(map(allowed, names))
    except RecursionError:
        return False


def parsed(text: str) -> ast.expr | None:
    """The expression that a text is; ``None`` where it is none."""
    try:
        return ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _called(tree: ast.expr) -> Iterator[str]:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return (ast.unparse(func) for func in calls if not isinstance(func, ast.Call))


def _names(node: ast.AST) -> Iterator[str]:
    """The names in an expression, with their attributes, as they are written."""
    if isinstance(node, ast.Name | ast.Attribute):
        yield ast.unparse(node)
        return
    for inside in ast.iter_child_nodes(node):
        yield from _names(inside)


def _is_parameter(name: str) -> bool:
    first, *attributes = name.split(".")
    plain = first.isidentifier() and all(each.isidentifier() for each in attributes)
    hidden = first.startswith("__") or any(each.startswith("_") for each in attributes)
    return plain and not hidden and first not in _ROOMS and len(attributes) < 2


def _computes(name: str) -> bool:
    if name in MAKERS or name in _PLAIN or name in _NUMBERS:
        return True
    library, _, rest = name.partition(".")
    room, _, last = rest.rpartition(".")
    if library not in _ROOMS or not last.isidentifier() or _ACTS.search(last):
        return False
    if room == "":
        return library != "torch" or last.islower() or _CLASS.fullmatch(last) is not None
    return re.fullmatch(_ROOMS[library].replace(".", r"\."), room) is not None
