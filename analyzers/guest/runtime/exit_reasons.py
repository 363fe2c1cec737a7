"""Ends of a process or a call: which speak against the code, which tell of a limit."""

from __future__ import annotations

import re
import signal

MEMORY = "the memory limit was reached"

CRASHES = frozenset(
    int(getattr(signal, name))
    for name in ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL", "SIGTRAP")
    if hasattr(signal, name)
)
_LIMITS = {
    "SIGKILL": "as a rule for its use of memory",
    "SIGXCPU": "for its use of processor time",
    "SIGXFSZ": "for the size of a file",
}


_REFUSED = re.compile(
    r"can't allocate memory|cannot allocate memory|std::bad_alloc|can't start new thread",
    re.IGNORECASE,
)


def is_limit(error: BaseException) -> bool:
    """Return whether an exception says that memory or a thread was refused."""
    if isinstance(error, MemoryError):
        return True
    return type(error) in (RuntimeError, OSError) and bool(_REFUSED.search(str(error)))


def is_crash(number: int) -> bool:
    """Return whether the code's own fault ends a process by this signal."""
    return number in CRASHES


def reason(number: int) -> str:
    """Return in words that a signal which is no crash has ended a process (0: it left)."""
    if number == 0:
        return "the code ended its own process"
    known = {int(each): each.name for each in signal.Signals}
    name = known.get(number, "")
    why = f", {_LIMITS[name]}" if name in _LIMITS else ""
    return f"the process was ended by signal {number}{why}"
