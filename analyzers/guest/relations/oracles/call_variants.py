"""The same numbers, laid out otherwise in memory."""

from __future__ import annotations

import itertools
import logging
import math
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isfinite, log
from typing import Any, Callable, Generator, Iterator, Optional

from ..library_calls import format_value
from ..relation_types import Disagreement, Library, LiveCall
from ..result_comparison import MISSING, difference, unit_of
from .call_stability import is_repeatable, is_well_conditioned_difference, is_well_posed
from .call_under_test import CallUnderTest
from .call_values import changed, leaves, operands, writes

FLOAT64 = "float64"
FLOAT64_RELATED = "the same call on float64"


def judge_double_precision(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the value within the precision that its own inputs have."""
    rounded = any(
        trial.library.is_array(leaf) or type(leaf) is float for leaf in leaves(trial.value)
    )
    if trial.is_open or not trial.is_rounded or not rounded or trial.precise is MISSING:
        return
    tolerance = replace(trial.tolerance, dtypes=False)
    text = difference(trial.value, trial.precise, trial.library, tolerance)
    if text is None or not _is_in_range(trial):
        return
    if not is_well_conditioned_difference(trial, trial.precise, tolerance):
        return
    if not _is_all_finite(trial.value) or is_well_posed(trial, tolerance):
        yield trial.told(
            FLOAT64, FLOAT64_RELATED, (format_value(trial.value), format_value(trial.precise)), text
        )


def _is_all_finite(value: Any) -> bool:
    return all(map(_is_finite, leaves(value)))


def _is_in_range(trial: CallUnderTest) -> bool:
    """Return whether powers of the inputs stay in the dtype's range; finite results always do."""
    if _is_all_finite(trial.value):
        return True
    numbers = [leaf for leaf in operands(trial.live) if type(leaf) in (int, float)]
    if not all(map(_is_finite, [*numbers, *operands(trial.live)])):
        return False
    sizes = [*map(_size, operands(trial.live)), *(abs(float(number)) for number in numbers)]
    largest = max([trial.tolerance.magnitude, *sizes])
    return bool(largest**2 < log(unit_of(trial.tolerance.coarsest).largest))


def _size(leaf: Any) -> float:
    """Return the magnitude of the largest of whole numbers, 0 for what is none."""
    name = str(getattr(leaf, "dtype", "")).rsplit(".", 1)[-1]
    if not name.startswith(("int", "uint")) or isinstance(leaf, type) or not hasattr(leaf, "max"):
        return 0.0
    return max(abs(float(leaf.min())), abs(float(leaf.max()))) if math.prod(leaf.shape) else 0.0


def _is_finite(leaf: Any) -> bool:
    if type(leaf) in (int, float):
        return isfinite(leaf)
    if not hasattr(leaf, "isfinite"):
        return True
    return bool(leaf.isfinite().all())


STRIDES = "strides"
STRIDES_RELATED = "the same call on copies of its inputs with other strides"


def judge_strides(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The value on inputs transposed in memory, and on every second element of larger ones."""
    arrays = (leaf for leaf in operands(trial.live) if _is_plain(leaf, trial.library))
    if not any(leaf.ndim for leaf in arrays):
        return
    ways = [*(partial(_laid_out, trial, layout) for layout in (_transposed, _stepped))]
    found = (each for way in ways for each in trial.compared(STRIDES, STRIDES_RELATED, way))
    yield from itertools.islice(itertools.chain(found, _expanded(trial)), 1)


def _expanded(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield on inputs of which one row stands for all, against a copy of each row."""
    if writes(trial.live.api):
        return
    repeated = changed(trial.live, lambda leaf: _of_array(leaf, trial.library, _of_one_row))
    dense = changed(repeated, lambda leaf: _of_array(leaf, trial.library, _dense))
    usual = CallUnderTest(dense, trial.library)
    value = trial.attempt(lambda: _run_as_is(trial, repeated))
    if usual.succeeded and value is not MISSING:
        disagreement = usual.disagreement(STRIDES, STRIDES_RELATED, value)
        if disagreement is not None and is_repeatable(usual):
            yield disagreement


def _laid_out(trial: CallUnderTest, layout: Callable[[Any], Any]) -> Any:
    """Return the value on inputs of another layout, made after copying, which may undo it."""
    live = trial.copied(trial.live)
    return _run_as_is(trial, changed(live, lambda leaf: _of_array(leaf, trial.library, layout)))


def _run_as_is(trial: CallUnderTest, live: LiveCall) -> Any:
    trial.library.seed()
    return live.run()


def _of_array(leaf: Any, library: Library, layout: Callable[[Any], Any]) -> Any:
    return layout(leaf) if _is_plain(leaf, library) else leaf


def _is_plain(leaf: Any, library: Library) -> bool:
    """Return whether it is an array whose strides are its own affair (dense, of torch or NumPy)."""
    if type(leaf).__module__ == "numpy":
        return library.is_array(leaf) and type(leaf).__name__ == "ndarray"
    if not library.is_array(leaf) or type(leaf).__name__ not in ("Tensor", "Parameter"):
        return False
    return str(leaf.layout) == "torch.strided" and not leaf.is_nested and not leaf.is_quantized


def _transposed(array: Any) -> Any:
    if array.ndim < 2:
        return array
    if hasattr(array, "detach"):
        return array.detach().transpose(0, -1).contiguous().transpose(0, -1)
    return array.swapaxes(0, -1).copy().swapaxes(0, -1)


def _stepped(array: Any) -> Any:
    """Return the array as every second element of a larger one whose others are zeros or ones."""
    if not array.ndim:
        return array
    if hasattr(array, "detach"):
        import torch

        return torch.stack([array.detach(), torch.ones_like(array)], dim=-1)[..., 0]
    import numpy as np

    return np.stack([array, np.ones_like(array)], axis=-1)[..., 0]


def _of_one_row(array: Any) -> Any:
    shape: tuple[int, ...] = tuple(array.shape)
    if not array.ndim or shape[0] < 2:
        return array
    if hasattr(array, "detach"):
        return array.detach()[:1].expand(shape)
    import numpy as np

    return np.broadcast_to(array[:1], shape)


def _dense(array: Any) -> Optional[Any]:
    return array.contiguous() if hasattr(array, "detach") else array.copy()


VMAP = "vmap"
VMAP_RELATED = "the same call under torch.vmap, a row at a time"
MOST_MAPPED = 8


def judge_vmap(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the value as a row of what ``torch.vmap`` gives on stacks of the tensors."""
    import torch

    tensors = [leaf for leaf in operands(trial.live) if isinstance(leaf, torch.Tensor)]
    tensors = [each for each in tensors if each.layout is torch.strided and not each.is_nested]
    if 0 < len(tensors) <= MOST_MAPPED and trial.live.inputs is None:
        yield from trial.compared(VMAP, VMAP_RELATED, lambda: _mapped(trial, tensors))


def _mapped(trial: CallUnderTest, tensors: list[Any]) -> Any:
    """The row of this call, the last of two; the first has the tensors' elements reversed."""
    import torch

    def call(*given: Any) -> Any:
        rest = list(given)
        return changed(
            trial.live,
            lambda leaf: rest.pop(0) if any(leaf is tensor for tensor in tensors) else leaf,
        ).run()

    plain = [tensor.detach() for tensor in tensors]
    others = [tensor * 0.5 if tensor.is_floating_point() else tensor for tensor in plain]
    stacked = [torch.stack(pair) for pair in zip(others, plain)]
    trial.library.seed()
    return _row(torch.vmap(call)(*stacked))


def _row(value: Any) -> Optional[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return value[1]
    if isinstance(value, (list, tuple)):
        return [_row(item) for item in value]
    return value


META = "meta"
META_RELATED = "the same call on fake tensors: the shape and dtype of its result"


def judge_fake_tensors(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The shapes and dtypes of the result, as fake tensors (torch.compile, export) have them."""
    if not all(map(_is_usual, operands(trial.live))):
        return
    expected = trial.attempt(lambda: _faked(trial))
    if expected is MISSING:
        return
    ours, theirs = _described(trial.value), _described(expected)
    if ours is None or theirs is None or ours == theirs:
        return
    yield trial.told(META, META_RELATED, (_text(ours), _text(theirs)), "")


def _faked(trial: CallUnderTest) -> Any:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    def fake(leaf: Any) -> Any:
        if type(leaf) in (torch.Tensor, torch.nn.Parameter):
            return mode.from_tensor(leaf.detach())
        return leaf

    mode = FakeTensorMode(allow_fallback_kernels=False)
    live = changed(trial.live, fake)
    with _quiet(), mode:
        return live.run()


@contextmanager
def _quiet() -> Generator[None, None, None]:
    """Silence torch's log of what a fake tensor cannot do, which it also raises."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _described(value: Any) -> Optional[list[tuple[tuple[int, ...], str]]]:
    """Return shape and dtype of each tensor in a result; ``None`` where a shape is not known."""
    import torch

    found: list[tuple[tuple[int, ...], str]] = []
    for leaf in leaves(value):
        if isinstance(leaf, torch.Tensor):
            if not _is_usual(leaf):
                return None
            found.append((tuple(leaf.shape), str(leaf.dtype).rsplit(".", 1)[-1]))
    return found


def _is_usual(leaf: Any) -> bool:
    """Return whether a leaf is no tensor of the kinds that fake tensors know little of."""
    import torch

    if not isinstance(leaf, torch.Tensor):
        return True
    return leaf.layout is torch.strided and not (leaf.is_nested or leaf.is_quantized)


def _text(described: list[tuple[tuple[int, ...], str]]) -> str:
    return ", ".join(f"{dtype} of shape {shape}" for shape, dtype in described) or "no tensor"
