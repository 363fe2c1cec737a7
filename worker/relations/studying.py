"""One study: guests that go on, one after another, where the one before ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from worker.errors import MachineError
from worker.interruption import heed
from worker.relations.journal import Journal
from worker.relations.nouns import Event, Heard, Order, Studied
from worker.relations.saying import heard
from worker.report.escape import inert
from worker.sandbox.channel import LIMIT, Channel, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.launch import Program
from worker.sandbox.limits import GIB, Limits
from worker.sandbox.shapes import BadFrame
from worker.temporary import owned_folder

MOST_DEATHS = 20
MOST_FRUITLESS = 2
"""How many guests may die in one study, and how many in a row without having got anywhere."""
GRACE = 60.0
"""Seconds after its time is over in which a guest must come to its end."""
SILENCE = 300.0
TAIL = 500
MOST_BYTES = 128 << 20
"""How much of one study is kept: a table of torch is a hundredth of it."""
LIMITS = Limits(memory=8 * GIB, address_space=64 * GIB)
"""A deep-learning library and its workers; the guest bounds each worker's memory itself."""


class _Ended(Exception):  # noqa: N818 - a noun of the outside
    """A guest is gone before its study was over."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where guests study: the isolation, the interpreter, the limits.

    ``program`` is what speaks for the guest; ours by default.
    """

    isolation: Isolation
    python: Path
    limits: Limits = LIMITS
    program: Program | None = None
    silence: float = SILENCE


def study(order: Order, site: Site, journal: Journal) -> Iterator[Event]:
    """What is heard of a study, which is kept in the journal first; ``Studied`` is the last.

    What the journal has is not done again.  A guest that dies is followed by
    another.  Raises ``MachineError`` where that leads nowhere, and where a
    guest says what no guest should.
    """
    deadline = time.monotonic() + order.seconds
    fruitless, reason = 0, ""
    for _ in range(MOST_DEATHS):
        before = journal.checked
        try:
            yield from _once(order, site, journal, deadline)
        except _Ended as ended:
            reason = str(ended)
        else:
            return
        fruitless = 0 if journal.checked > before else fruitless + 1
        if time.monotonic() > deadline:
            yield Studied(order.version, complete=False)
            return
        if fruitless >= MOST_FRUITLESS:
            raise _failed(order, reason)
    raise _failed(order, f"{MOST_DEATHS} guests died, the last: {reason}")


def _once(order: Order, site: Site, journal: Journal, deadline: float) -> Iterator[Event]:
    """What one guest says; raises ``_Ended``."""
    left = max(1.0, deadline - time.monotonic())
    seconds = left + GRACE
    limits = replace(site.limits, wall_seconds=seconds, cpu_seconds=int(seconds * 4))
    with owned_folder("study") as folder:
        tree = folder / "tree"
        tree.mkdir()
        with GuestProcess.start(
            site.isolation, tree=tree, python=site.python, limits=limits, program=site.program
        ) as guest:
            try:
                guest.channel.send(order.frame(left, journal.done))
                yield from _replies(guest.channel, order, site, journal, deadline + GRACE)
            except (ChannelClosed, ChannelTimeout) as error:
                raise _Ended(_reason(guest, error)) from error
            except BadFrame as error:
                raise _failed(order, f"the guest broke the protocol: {error}") from error


def _replies(
    channel: Channel, order: Order, site: Site, journal: Journal, deadline: float
) -> Iterator[Event]:
    while True:
        heed()
        left = max(0.1, deadline - time.monotonic())
        event = heard(decoded(channel.frame(min(left, site.silence), LIMIT)), order)
        if isinstance(event, Heard):
            journal.add(event.rows)
            if journal.size > MOST_BYTES:
                raise BadFrame(f"more rows than fit into {MOST_BYTES >> 20} MiB")
        yield event
        if isinstance(event, Studied):
            return


def _reason(guest: GuestProcess, error: Exception) -> str:
    """Why a guest is gone: that we stopped it, or the end of what it printed."""
    if isinstance(error, ChannelClosed):
        guest.wait(GRACE / 10)
    lines = guest.stderr_tail().strip().splitlines()
    said = lines[-1][-TAIL:] if lines else str(error)
    return guest.stopped or inert(said)


def _failed(order: Order, reason: str) -> MachineError:
    return MachineError(
        f"{order.library} {order.version} cannot be studied: {reason}",
        "What was found is kept: the same command goes on from there.",
    )
