"""Growth of memory or time over repeated calls: the check behind the word ``settles``.

After a first part of the calls, in which caches fill, what is alive is counted after each of
several blocks of calls: bytes of tensors and objects that the garbage collector reaches, once
bounded ``lru_cache``s are emptied, and the process's resident memory.  Only what grows in
every block, by at least one object a call, and goes on when four times as many calls are
made, is told; so are calls whose least processor time grows in every block.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Generator, List, Optional, Sequence, Tuple

from ..runtime import time_limits

_BLOCKS = 6
_LONGER = 4
_MIB = 2.0**20
_LEAST_RESIDENT = 8 * _MIB
_LEAST_A_CALL = 16 * 1024
_LEAST_SECONDS = 5e-4
_SLOWER = 2.5
_SOONER = 0.1
"""How much less time must grow at first, for the longer run to tell."""
SECONDS = 30.0
_CACHE = type(functools.lru_cache(maxsize=1)(len))


@dataclass(frozen=True)
class ResourceReading:
    """Reading after a block of calls: bytes and objects alive, and the least time of a call."""

    tensors: int
    held: float
    objects: int
    resident: float
    seconds: float


def growth_of_repeated_call(
    call: Callable[[], Any], times: int, seconds: float = SECONDS
) -> Optional[str]:
    """Return what grows steadily over so many calls and then four times as many; ``None``: nothing.

    What a call returns is dropped at once.  A call that raises, or that has not been made
    often enough within ``seconds``, tells nothing.
    """
    until = time_limits.now() + seconds
    count = max(2, times // _BLOCKS)
    try:
        with _counting() as caches:
            _repeated(call, 2 * count, until)
            first = _growth(_readings(call, count, until, caches), count, _SOONER)
            if first is None:
                return None
            count *= _LONGER
            again = _growth(_readings(call, count, until, caches), count, 1.0)
    except _Late:
        return None
    if again is None or again[0] != first[0]:
        return None
    return f"{again[1]} over {_BLOCKS * count} calls"


@contextmanager
def _counting() -> Generator[List[Any], None, None]:
    caches = _bounded(gc.get_objects())
    gc.freeze()
    try:
        yield caches
    finally:
        gc.unfreeze()


class _Late(Exception):  # noqa: N818 - the time is over
    """There was no time for the calls that are needed."""


def _readings(
    call: Callable[[], Any], count: int, until: float, caches: Sequence[Any]
) -> List[ResourceReading]:
    blocks = (_read(_repeated(call, count, until), caches) for _ in range(_BLOCKS))
    return [_read(0.0, caches), *blocks]


def _repeated(call: Callable[[], Any], count: int, until: float) -> float:
    least = float("inf")
    for _ in range(count):
        if time_limits.now() > until:
            raise _Late
        started = time.process_time()
        call()
        least = min(least, time.process_time() - started)
    return least


def _read(seconds: float, caches: Sequence[Any]) -> ResourceReading:
    for cache in [*caches, *_bounded(gc.get_objects())]:
        if cache.cache_info().currsize > 1:
            cache.cache_clear()
    gc.collect()
    alive = gc.get_objects()
    torch = sys.modules.get("torch")
    kind = getattr(torch, "Tensor", ())
    tensors = [each for each in alive if issubclass(type(each), kind)]
    held = float(sum(_bytes(each) for each in tensors))
    return ResourceReading(len(tensors), held, len(alive), _resident(), seconds)


def _bytes(tensor: Any) -> int:
    try:
        return int(tensor.untyped_storage().nbytes())
    except Exception:
        return 0


def _bounded(objects: Sequence[Any]) -> List[Any]:
    """Return the caches among objects that have a bound: they are no leak, however full."""
    found = [each for each in objects if type(each) is _CACHE]
    return [each for each in found if each.cache_info().maxsize is not None]


def _resident() -> float:
    """Return the process's memory without what the allocator keeps; 0 where unknown."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return float(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0


def _growth(
    readings: Sequence[ResourceReading], count: int, share: float
) -> Optional[Tuple[str, str]]:
    if _steps([each.tensors for each in readings], count):
        held = (readings[-1].held - readings[0].held) / _MIB
        more = readings[-1].tensors - readings[0].tensors
        return "tensors", f"{more} tensors more are alive ({held:.2g} MiB)"
    if _steps([each.held for each in readings], _LEAST_A_CALL * count):
        held = (readings[-1].held - readings[0].held) / _MIB
        return "held", f"living tensors take {held:.3g} MiB more"
    if _steps([each.objects for each in readings], count):
        more = readings[-1].objects - readings[0].objects
        return "objects", f"{more} objects more are alive"
    return _native(readings, count) or _slower(readings, share)


def _steps(values: Sequence[float], least: float) -> bool:
    return all(later - earlier >= least for earlier, later in zip(values, values[1:]))


def _native(readings: Sequence[ResourceReading], count: int) -> Optional[Tuple[str, str]]:
    values = [each.resident for each in readings]
    more = values[-1] - values[0]
    if more < _LEAST_RESIDENT or not _steps(values, _LEAST_A_CALL * count):
        return None
    return "resident", f"the process takes {more / _MIB:.3g} MiB more"


def _slower(readings: Sequence[ResourceReading], share: float) -> Optional[Tuple[str, str]]:
    values = [each.seconds for each in readings[1:]]
    risen = _steps(values, 1e-9) and values[-1] >= (1.0 + share * (_SLOWER - 1.0)) * values[0]
    if not risen or values[-1] - values[0] < share * _LEAST_SECONDS:
        return None
    return "seconds", f"a call takes {values[-1] / values[0]:.3g} times as long as before"
