"""Arrays of NumPy, torch and JAX: a dtype, a shape, and few choices for all their elements."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

from ..annotations.nouns import Constraint
from ..annotations.rendering import render
from .contents import Contents, contents
from .precision import WHOLE
from .recipes import Call, Literal, Recipe
from .scope import Scope, Unmeetable
from .shapes import drawing, shape_recipe, whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Keywords = List[Tuple[str, Recipe]]

STRIDED_ONE_IN = 8
"""How seldom an array is no contiguous one where nothing is said of it."""

_ALIASES = {
    "tensors": {"float": "float32", "int": "int32"},
    "np_arrays": {"float": "float64", "int": "int64"},
    "jax_arrays": {"float": "float32", "int": "int32"},
}
_SHORT = {"half": "float16", "double": "float64", "long": "int64"}
_USUAL = {"tensors": "float32", "np_arrays": "float64", "jax_arrays": "float32"}
_MAKERS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}
_OF_VALUES = {"labels": "int64", "one_hot": "", "probabilities": ""}
_WIDE = ("int64", "uint64", "float64", "complex128")


def tensors(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Torch tensors."""
    device = constraint.value("device", "cpu")
    _check_device(constraint, device)
    keywords: Keywords = [] if device == "cpu" else [("device", Literal(device))]
    if constraint.value("requires_grad"):
        keywords.append(("requires_grad", Literal(True)))
    return _arrays(constraint, scope, keywords)


def np_arrays(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """NumPy arrays."""
    return _arrays(constraint, scope, [])


def jax_arrays(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """JAX arrays."""
    return _arrays(constraint, scope, [])


def _check_device(constraint: Constraint, device: str) -> None:
    if device.partition(":")[0] == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise Unmeetable(render(constraint), f"there is no device {device} here")


def _arrays(constraint: Constraint, scope: Scope, more: Keywords) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import composite

    found = _contents(constraint)
    which, last = whole(0, len(found) - 1), len(found) - 1
    shapes = drawing(constraint["shape"], scope)
    contiguous = constraint.value("contiguous", constraint.kind == "jax_arrays" or None)
    maker = _MAKERS[constraint.kind]

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        content = found[draw(which)] if last else found[0]
        shape = shapes(draw)
        keywords: Keywords = []
        if content.dtype != "float32":
            keywords.append(("dtype", _word(content.dtype)))
        keywords += content.draw(shape, draw)
        keywords += more
        if _is_strided(shape, contiguous, draw):
            keywords.append(("contiguous", Literal(False)))
        return Call(maker, (shape_recipe(shape),), tuple(keywords))

    return drawn()


@lru_cache(maxsize=64)
def _word(name: str) -> Literal:
    return Literal(name)


def _is_strided(shape: Sequence[int], contiguous: Optional[bool], draw: DrawFn) -> bool:
    """Whether an array is not contiguous; one of a single element always is."""
    if contiguous or all(size == 1 for size in shape) or 0 in shape:
        return False
    if contiguous is False:
        return True
    return bool(draw(whole(0, STRIDED_ONE_IN - 1)) == STRIDED_ONE_IN - 1)


def _contents(constraint: Constraint) -> List[Contents]:
    """What the elements may be, for each dtype that can be."""
    found, unmet = [], None
    for dtype in dtypes(constraint):
        try:
            _check_dtype(constraint, dtype)
            found.append(contents(constraint, dtype))
        except Unmeetable as problem:
            unmet = unmet or problem
    if not found:
        raise unmet or Unmeetable(render(constraint), "it has no dtype")
    return found


def dtypes(constraint: Constraint) -> List[str]:
    """The dtypes of a constraint, by their full names."""
    usual = _OF_VALUES.get(constraint.value("values", ""), "") or _USUAL[constraint.kind]
    if constraint.kind == "jax_arrays" and usual in _WIDE and not _is_wide():
        usual = usual.replace("64", "32")
    given = constraint.value("dtype", usual)
    words: List[str] = list(given) if isinstance(given, (list, tuple)) else [given]
    names = [word.rpartition(".")[2] for word in words]
    known: Dict[str, str] = {**_SHORT, **_ALIASES[constraint.kind]}
    return [known.get(name, name) for name in names]


def _check_dtype(constraint: Constraint, dtype: str) -> None:
    """Raise :class:`Unmeetable` for a dtype that cannot be had here."""
    if constraint.value("requires_grad") and dtype in WHOLE:
        raise Unmeetable(render(constraint), f"{dtype} has no gradient")
    if constraint.kind == "jax_arrays" and dtype in _WIDE and not _is_wide():
        raise Unmeetable(render(constraint), f"JAX has {dtype} only where jax_enable_x64 is on")
    if constraint.kind == "tensors" and not _torch_has(dtype):
        raise Unmeetable(render(constraint), f"this torch has no {dtype}")
    if constraint.kind == "np_arrays" and dtype == "bfloat16" and not _has_bfloat16():
        raise Unmeetable(render(constraint), "NumPy has bfloat16 only where ml_dtypes is installed")


def _is_wide() -> bool:
    import jax

    return bool(jax.config.read("jax_enable_x64"))  # type: ignore[no-untyped-call]


def _torch_has(dtype: str) -> bool:
    import torch

    return hasattr(torch, dtype)


def _has_bfloat16() -> bool:
    from importlib.util import find_spec

    return find_spec("ml_dtypes") is not None
