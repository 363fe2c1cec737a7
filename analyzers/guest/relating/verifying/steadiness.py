"""APIs that nothing can be compared with: random ones, and those that show uninitialised memory.

Told by trying.  From the same random numbers, but with all memory that is
handed out filled with other bytes, what differs was never written.  With
other random numbers, what differs is random.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Generator, List, Optional

from ..calls import copied
from ..libraries.library import Library
from ..nouns import Live
from .runs import Ran, attempted, plain, ran

RANDOM, UNINITIALISED = "random", "uninitialised"
_PERTURB = -6
_PATTERNS = (0x15, 0x5A)
_MOST_BYTES = 1 << 22


def unsteadiness(live: Live, library: Library) -> Optional[str]:
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

    def __init__(self, live: Live, library: Library) -> None:
        self._live, self._library = live, library
        self._made: Any = None
        if live.inputs is not None:
            library.seed()
            own = copied(live, library)
            self._made = attempted(lambda: live.function(*own.arguments, **own.keywords), own).value

    def run(self, *, seeded: bool = True) -> Ran:
        own = copied(self._live, self._library)
        if self._made is None:
            return ran(own, self._library, seeded=seeded)
        if seeded:
            self._library.seed()
        return attempted(lambda: self._made(*(own.inputs or ())), own)


def _differ(one: Ran, other: Ran, library: Library) -> bool:
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


def _scalars_differ(one: Ran, other: Ran) -> bool:
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
