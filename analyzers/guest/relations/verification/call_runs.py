"""APIs that nothing can be compared with: random ones, and those that show uninitialised memory.

Told by trying.  From the same random numbers, but with all memory that is
handed out filled with other bytes, what differs was never written.  With
other random numbers, what differs is random.
"""

from __future__ import annotations

import ctypes
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Generator, Iterator, List, Optional, Tuple

from ..library_calls import copy_call, exception_outcome
from ..relation_types import SUCCESS, Library, LiveCall


@dataclass(frozen=True)
class CallRun:
    """How a call ended, its value, and the copies that it ran on, perhaps changed by it."""

    status: str
    value: Any
    live: LiveCall

    @property
    def succeeded(self) -> bool:
        """Whether there is a value."""
        return self.status == SUCCESS


def run_call(live: LiveCall, library: Library, *, seeded: bool = True) -> CallRun:
    """Run a call on what it has, which must be a copy; ``seeded``: from the first random number."""
    if seeded:
        library.seed()
    return attempted(live.run, live)


def attempted(function: Callable[[], Any], live: LiveCall) -> CallRun:
    """The end of whatever runs in the name of a call."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function()
    except Exception as error:
        return CallRun(exception_outcome(error).status, None, live)
    return CallRun(SUCCESS, value, live)


def arrays(value: Any, library: Library) -> Iterator[Any]:
    """The arrays in a value, also inside containers."""
    if library.is_array(value):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays(item, library)
    elif isinstance(value, dict):
        yield from arrays(list(value.values()), library)


def given(live: LiveCall) -> List[Any]:
    """All that a call is given, in order."""
    return [*live.arguments, *live.keywords.values(), *(live.inputs or ())]


def plain(value: Any, library: Library) -> List[Tuple[str, Tuple[int, ...], Any]]:
    """The arrays in a value as NumPy has them; those that cannot be read are left out."""
    found = []
    for array in arrays(value, library):
        try:
            found.append(library.plain(array))
        except Exception:
            continue
    return found


RANDOM, UNINITIALISED = "random", "uninitialised"
_PERTURB = -6
_PATTERNS = (0x15, 0x5A)
_MOST_BYTES = 1 << 22


def nondeterminism(live: LiveCall, library: Library) -> Optional[str]:
    """``random`` or ``uninitialised`` where two runs of a call differ, ``None`` where not.

    A layer is made once, as its weights are random on purpose, and called twice.
    """
    again = _Again(live, library)
    first = again.run()
    if not first.succeeded:
        return None
    sizes = [item[2].nbytes for item in plain(first.value, library)]
    with _filled(sizes, _PATTERNS[0]):
        one = again.run()
    with _filled(sizes, _PATTERNS[1]):
        other = again.run()
    if _differ(one, other, library):
        return UNINITIALISED
    return RANDOM if _differ(first, again.run(seeded=False), library) else None


class _Again:
    """Runs a call again and again, a layer as it was made at first."""

    def __init__(self, live: LiveCall, library: Library) -> None:
        self._live, self._library = live, library
        self._made: Any = None
        if live.inputs is not None:
            library.seed()
            own = copy_call(live, library)
            self._made = attempted(lambda: live.function(*own.arguments, **own.keywords), own).value

    def run(self, *, seeded: bool = True) -> CallRun:
        own = copy_call(self._live, self._library)
        if self._made is None:
            return run_call(own, self._library, seeded=seeded)
        if seeded:
            self._library.seed()
        return attempted(lambda: self._made(*(own.inputs or ())), own)


def _differ(one: CallRun, other: CallRun, library: Library) -> bool:
    if one.status != other.status:
        return True
    first, second = plain(one.value, library), plain(other.value, library)
    if len(first) != len(second):
        return True
    return any(not _same(*pair) for pair in zip(first, second)) or _scalars_differ(one, other)


def _same(one: Any, other: Any) -> bool:
    """Whether two arrays have the same bits."""
    import numpy as np

    if one[:2] != other[:2]:
        return False
    return bool(np.ascontiguousarray(one[2]).tobytes() == np.ascontiguousarray(other[2]).tobytes())


def _scalars_differ(one: CallRun, other: CallRun) -> bool:
    kinds = (bool, int, float, complex, str)
    alike = isinstance(one.value, kinds) and isinstance(other.value, kinds)
    return alike and repr(one.value) != repr(other.value)


@contextmanager
def _filled(sizes: List[int], pattern: int) -> Generator[None, None, None]:
    """Let what the allocator hands out be full of a byte: by the C library, and by blocks freed."""
    import numpy as np

    libc = ctypes.CDLL(None)
    libc.mallopt(_PERTURB, pattern)
    for size in sizes:
        if 0 < size <= _MOST_BYTES:
            held = [np.full(size, pattern, np.uint8) for _ in range(8)]
            del held
    try:
        yield
    finally:
        libc.mallopt(_PERTURB, 0)
