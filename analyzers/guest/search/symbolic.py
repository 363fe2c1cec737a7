"""Explores the target with CrossHair, in a process that can be killed.

A symbolic answer has unknowns for leaves; every path gives a concrete
witness, which is replayed at once.  Only a search that CrossHair calls
exhausted, in which every path replayed as it was explored, may call a goal
unreachable; :mod:`.proof` says when.
"""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import traceback
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterator, List

from .campaign import Campaign, Candidate, Stopwatch
from .entry import Entry
from .proof import may_prove

GRACE = 1.0


@dataclass(frozen=True)
class Symbolic:
    """The points that no bounded answer reaches, and the bound in words."""

    exhausted: FrozenSet[int] = frozenset()
    bound: str = ""
    note: str = ""


def explore(campaign: Campaign, entry: Entry, seconds: float, most: int) -> Symbolic:
    """Add what CrossHair reaches to the campaign; give what it proves.

    Without crosshair-tool nothing is done, and ``note`` says so.
    """
    if importlib.util.find_spec("crosshair") is None:
        return Symbolic(note="crosshair-tool is not installed here: no symbolic search")
    exhausted: FrozenSet[int] = frozenset()
    for report in _reports(campaign, seconds, most):
        if "plan" in report:
            campaign.run(Candidate({api: _tuples(k) for api, k in report["plan"].items()}))
        if "exhausted" in report and may_prove(campaign, entry):
            exhausted = frozenset(report["exhausted"])
        if not campaign.missing:
            break
    bounds = [campaign.models[api].bound.format(most=most) for api in sorted(campaign.apis)]
    return Symbolic(exhausted & campaign.missing, "; ".join(dict.fromkeys(bounds)))


def _reports(campaign: Campaign, seconds: float, most: int) -> Iterator[Dict[str, Any]]:
    """What a child reports while it explores; it is killed when time is over."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(campaign, seconds, most, writing)
    os.close(writing)
    try:
        yield from map(json.loads, _lines(reading, Stopwatch(seconds + GRACE)))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def _child(campaign: Campaign, seconds: float, most: int, writing: int) -> None:
    try:
        from .paths import Explorer

        with os.fdopen(writing, "w") as pipe:

            def report(frame: Dict[str, Any]) -> None:
                pipe.write(json.dumps(frame) + "\n")
                pipe.flush()

            Explorer(campaign, most, report).explore(seconds)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _lines(reading: int, watch: Stopwatch) -> Iterator[bytes]:
    """Whole lines from a pipe until it ends or the time is over."""
    pending = b""
    while not watch.over():
        ready, _, _ = select.select([reading], [], [], watch.remaining())
        received = os.read(reading, 65536) if ready else b""
        if not received:
            return
        *lines, pending = (pending + received).split(b"\n")
        yield from lines


def _tuples(value: Any) -> Any:
    """JSON lists as the tuples that knobs are made of."""
    items: List[Any] = [_tuples(item) for item in value] if isinstance(value, list) else []
    return tuple(items) if isinstance(value, list) else value
