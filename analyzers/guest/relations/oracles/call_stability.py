"""Stability of a call: repeatable, and not changed much by the last digit of its inputs."""

from __future__ import annotations

from functools import cache, partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, Callable, Optional

from ..relation_types import Library, LiveCall
from ..result_comparison import MISSING, Tolerance, difference, is_inexact, unit_of
from .call_values import changed, leaves, operands

if TYPE_CHECKING:
    from .call_under_test import CallUnderTest

FEW_BITS = 12
"""Numbers of so few significant bits are exact under addition and multiplication."""

_EMPTY = (
    "empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty",
    "new_empty_strided",
)
"""Torch's operators that give memory as they find it."""
_FILLS = cycle(range(65, 127))
"""The values that fill such memory, each different from the last, which may still be in it."""


def is_repeatable(trial: CallUnderTest) -> bool:
    """Return whether it draws no random numbers and reads no memory that it did not write.

    It is run again from another state of the random numbers, after memory of
    the size of its result has been dirtied.  The weights that a layer is made
    with are no draw.  Torch's operators say themselves whether they draw.
    """
    live, library = trial.copied(trial.live), trial.library
    library.seed()
    called: Any = live.run
    if live.inputs is not None:
        made = trial.attempt(lambda: live.function(*live.arguments, **live.keywords))
        called = made if made is MISSING else partial(made, *live.inputs)
    if called is MISSING:
        return False
    _draw()
    before = _random_state()
    _dirty(trial.value, library)
    again = trial.attempt(lambda: _without_draws(called))
    if again is MISSING or _random_state() != before:
        return False
    return difference(again, trial.value, library, Tolerance(ties=trial.tolerance.ties)) is None


def _without_draws(call: Callable[[], Any]) -> Any:
    """Return what it gives, :data:`MISSING` where an operator in it draws random numbers."""
    watch = _watch()()
    with watch:
        value = call()
    return MISSING if watch.drew else value


@cache
def _watch() -> type[Any]:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.drew = False

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.drew = self.drew or torch.Tag.nondeterministic_seeded in func.tags
            value = func(*args, **(kwargs or {}))
            if func.__name__.split(".")[0] in _EMPTY and isinstance(value, torch.Tensor):
                value.fill_(next(_FILLS))
                self.drew = self.drew or value.dtype == torch.bool
            return value

    return Watch


def _draw() -> None:
    import torch

    torch.rand(7)


def _random_state() -> Any:
    import torch

    return torch.get_rng_state().numpy().tobytes()


def _dirty(value: Any, library: Library) -> None:
    """Free memory of the result's size that holds numbers no one would compute."""
    import numpy as np

    sizes = [library.plain(leaf)[2].nbytes for leaf in leaves(value) if _is_read(leaf, library)]
    held: list[Any] = []
    for size in sizes[:4]:
        held += [
            _filled(size) if size < 2**24 else np.empty(0) for _ in range(16 if size < 4096 else 3)
        ]
    held.clear()


def _is_read(leaf: Any, library: Library) -> bool:
    if not library.is_array(leaf):
        return False
    try:
        library.plain(leaf)
    except Exception:
        return False
    return True


def _filled(size: int) -> Any:
    import torch

    return torch.full((max(size, 1),), 0x5B, dtype=torch.uint8)


def is_well_conditioned_difference(
    trial: CallUnderTest, expected: Any, tolerance: Tolerance
) -> bool:
    """Return whether a difference outlives a change of the inputs by their last digit."""
    arrays = [_elements(leaf, trial.library) for leaf in operands(trial.live)]
    are_exact = all(_has_few_bits(array) for array in arrays if array is not None)
    if not tolerance.coarsest or are_exact:
        return True
    for direction in (1.0, -1.0):
        moved = trial.attempt(partial(_run_moved, trial, direction))
        if moved is MISSING or difference(moved, expected, trial.library, tolerance) is None:
            return False
        if difference(moved, trial.value, trial.library, trial.tolerance) is not None:
            return False
    return True


def is_well_posed(trial: CallUnderTest, tolerance: Tolerance) -> bool:
    """Return whether float64's result outlives a change of the inputs' last digit."""
    for direction in (1.0, -1.0):
        moved = trial.attempt(partial(_run_moved_wide, trial, direction))
        if (
            moved is MISSING
            or difference(moved, trial.precise, trial.library, tolerance) is not None
        ):
            return False
    return True


def _run_moved(trial: CallUnderTest, direction: float) -> Any:
    return trial.run(_moved(trial.live, direction))


def _run_moved_wide(trial: CallUnderTest, direction: float) -> Any:
    from .call_under_test import widened

    return trial.run(widened(_moved(trial.live, direction)))


def _moved(live: LiveCall, direction: float) -> LiveCall:
    return changed(live, lambda leaf: _nudged(leaf, direction))


def _nudged(leaf: Any, direction: float) -> Any:
    dtype = str(getattr(leaf, "dtype", "")).rsplit(".", 1)[-1]
    if isinstance(leaf, type) or not is_inexact(dtype) or not hasattr(leaf, "shape"):
        return leaf
    step = 2 * direction * unit_of(dtype).eps
    array = leaf.detach() if hasattr(leaf, "detach") else leaf
    moved = array * (1.0 + step)
    if array.ndim:
        moved[..., ::2] = array[..., ::2] * (1.0 - step)
    return moved


def _elements(leaf: Any, library: Library) -> Optional[Any]:
    if isinstance(leaf, float):
        import numpy as np

        return np.asarray(leaf)
    return library.plain(leaf)[2] if _is_read(leaf, library) else None


def _has_few_bits(array: Any) -> bool:
    import numpy as np

    if array.dtype.kind not in "fc":
        return True
    parts = np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array
    fractions, _ = np.frexp(parts.astype(np.float64))
    scaled = fractions * 2.0**FEW_BITS
    finite = scaled[np.isfinite(scaled)]
    return bool((finite == np.floor(finite)).all())
