"""Which functions of a library a call from a guest may name: those that only compute.

Such calls end up in reproducers that people run.  ``torch.os.system`` and
``torch.load`` are names of the library, too.
"""

from __future__ import annotations

import ast
import re

from analyzers.guest.generation.makers import MAKERS

_ROOMS = {
    "torch": "nn|nn.functional|nn.init|nn.utils.rnn|Tensor|linalg|fft|special|sparse|signal.windows"
    "|nested|masked|ops.aten|_refs(.\\w+)*|_C(._nn|._special|._linalg|._fft)?|_VF"
    "|_decomp.decompositions|prims|_prims|distributions|ao.nn.quantized|functional",
    "numpy": "linalg|fft|ma|char|strings|emath|polynomial(.\\w+)*|random|ndarray",
    "jax": "numpy(.linalg|.fft)?|lax|nn(.initializers)?|random|scipy(.\\w+)*|Array",
    "keras": "ops(.\\w+)*|layers|activations|losses|metrics|initializers|random|utils",
    "tensorflow": "math|nn|linalg|signal|strings|sparse|image|bitwise|keras(.\\w+)*",
}
_ACTS = re.compile(
    r"(?:^|_)(?:loads?|loadtxt|save[zt]?\w*|dumps?|tofile|fromfile|file|memmap|genfromtxt"
    r"|fromregex|DataSource|hub|compile\w*|download|plot|print\w*|import|eval|exec|system"
    r"|function|callback)(?:_|$)"
)
_PLAIN = frozenset({"slice", "range", "complex", "int", "float", "bool"})


def harmless(text: str) -> bool:
    """Whether all that a call calls computes and does nothing else.

    ``text`` is the source of a call, or of a layer and its call.  Empty is harmless.
    """
    try:
        tree = ast.parse(text or "0", mode="eval")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return all(isinstance(func, ast.Call) or _may_be_called(func) for func in calls)


def harmless_words(text: str) -> bool:
    """Whether a text is no call at all (words), or a harmless one."""
    try:
        tree = ast.parse(text, mode="eval")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return True
    return not isinstance(tree.body, ast.Call) or harmless(text)


def _may_be_called(func: ast.expr) -> bool:
    name = ast.unparse(func)
    if name in MAKERS or name in _PLAIN:
        return True
    library, _, rest = name.partition(".")
    room, _, last = rest.rpartition(".")
    if library not in _ROOMS or not last.isidentifier() or _ACTS.search(last):
        return False
    return room == "" or re.fullmatch(_ROOMS[library].replace(".", r"\."), room) is not None
