"""Trace of a run's phases, in the trace-event format that browsers' trace viewers open.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Trace:
    """The phases of one run, each with its thread, its start and its duration."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._threads: dict[int, int] = {}

    def add(self, name: str, began: float, ended: float, **facts: str) -> None:
        """Add a phase between two times of ``time.monotonic``."""
        thread = self._threads.setdefault(threading.get_ident(), len(self._threads) + 1)
        self._events.append(
            {
                "name": name,
                "cat": "assayer",
                "ph": "X",
                "ts": round(began * 1e6),
                "dur": round((ended - began) * 1e6),
                "pid": os.getpid(),
                "tid": thread,
                "args": facts,
            }
        )

    def write(self, path: Path) -> None:
        """Write the phases to a file, in the order of their starts; raise ``OSError``."""
        events = sorted(self._events, key=lambda event: (event["ts"], -event["dur"]))
        document = {"traceEvents": events, "displayTimeUnit": "ms"}
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


_traces: list[Trace] = []


@contextmanager
def traced_to(path: Path | None) -> Generator[None]:
    """Trace what is done in the block, and write it to ``path``; nothing for ``None``."""
    if path is None:
        yield
        return
    trace = Trace()
    began = _process_start()
    if began is not None:
        trace.add("start Assayer", began, time.monotonic())
    _traces.append(trace)
    try:
        yield
    finally:
        _traces.remove(trace)
        trace.write(path)


@contextmanager
def phase(name: str, **facts: str) -> Generator[None]:
    """Note the block as a phase of the run, where it is traced."""
    began = time.monotonic()
    try:
        yield
    finally:
        if _traces:
            _traces[-1].add(name, began, time.monotonic(), **facts)


def traced(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Note every call of a function as a phase of the run."""

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def called(*given: P.args, **named: P.kwargs) -> T:
            with phase(name):
                return function(*given, **named)

        return called

    return decorated


def _process_start() -> float | None:
    """Return when this process began, as a time of ``time.monotonic`` (proc(5), field 22)."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    since_boot = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot
    return time.monotonic() - age
