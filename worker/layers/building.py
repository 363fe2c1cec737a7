"""One survey: a guest that reads and tries every layer of torch, and says what it found."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzers.assembly import layer_tables
from analyzers.vocabulary import JsonObject
from worker.errors import MachineError
from worker.layers.saying import progress, surveyed
from worker.report.markdown_escape import inert
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import GIB, Limits
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.protocol.channel import LIMIT, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.system.interruption import raise_pending
from worker.system.temporary_files import owned_folder

GRACE = 60.0
SILENCE = 300.0
TAIL = 500
LIMITS = Limits(memory=8 * GIB, address_space=64 * GIB)
"""A deep-learning library and its workers; the guest bounds each worker's memory itself."""


@dataclass(frozen=True, slots=True)
class SurveySandbox:
    """Where the guest surveys; ``program`` is what speaks for it, ours by default."""

    isolation: Isolation
    python: Path
    limits: Limits = LIMITS
    program: GuestProgram | None = None
    silence: float = SILENCE


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a survey is: layers done, of how many, and the last one."""

    done: int
    total: int
    name: str


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The file of a whole survey, or of some layers: its text, and how many trials it took."""

    version: str
    text: str
    layers: int
    trials: int


def build(
    version: str, place: SurveySandbox, seconds: float, names: tuple[str, ...] = ()
) -> Iterator[Progress | Surveyed]:
    """How far the survey of torch ``version`` is, and its file in the end.

    ``names`` are all layers where there are none.  Raises ``MachineError`` where the guest
    ends before, or says what no guest should.
    """
    limits = replace(place.limits, wall_seconds=seconds + GRACE, cpu_seconds=int(seconds * 4))
    order = {"type": "survey", "library": "torch", "names": list(names), "seconds": seconds}
    with owned_folder("survey") as folder:
        tree = folder / "tree"
        tree.mkdir()
        with GuestProcess.start(
            place.isolation, tree=tree, python=place.python, limits=limits, program=place.program
        ) as guest:
            try:
                guest.channel.send(order)
                yield from _heard(guest, version, place.silence, time.monotonic() + seconds + GRACE)
            except (ChannelClosed, ChannelTimeout) as error:
                raise _failed(version, _reason(guest, error)) from error
            except BadFrame as error:
                raise _failed(version, f"the guest broke the protocol: {error}") from error


def _heard(
    guest: GuestProcess, version: str, silence: float, deadline: float
) -> Iterator[Progress | Surveyed]:
    rows: dict[str, JsonObject] = {}
    while True:
        raise_pending()
        left = max(0.1, deadline - time.monotonic())
        message = decoded(guest.channel.frame(min(left, silence), LIMIT))
        if message.get("type") == "surveyed":
            yield _whole(version, message, rows)
            return
        for row in progress(message):
            rows[str(row["name"])] = row
            yield Progress(message["done"], message["total"], str(row["name"]))


def _whole(version: str, message: Mapping[str, Any], rows: Mapping[str, JsonObject]) -> Surveyed:
    surveyed(message)
    if message["version"] != version:
        raise BadFrame(f"surveyed {message['version']!r:.80}, not {version}")
    release = version.partition("+")[0]
    text = layer_tables.written(release, list(rows.values()))
    layer_tables.read(text)
    return Surveyed(version, text, len(rows), message["trials"])


def _reason(guest: GuestProcess, error: Exception) -> str:
    if isinstance(error, ChannelClosed):
        guest.wait(GRACE / 10)
    lines = guest.stderr_tail().strip().splitlines()
    return guest.stopped or inert(lines[-1][-TAIL:] if lines else str(error))


def _failed(version: str, reason: str) -> MachineError:
    return MachineError(
        f"The layers of torch {version} cannot be surveyed: {reason}",
        "Nothing was written; the same command begins anew.",
    )
