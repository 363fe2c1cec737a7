"""A build in the sandbox, which has no network, and what it hands out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.environments.sources.nouns import (
    LARGEST_WHEEL,
    MIB,
    MOST_FILES,
    MOST_UNPACKED,
    BuildSystem,
    NotBuilt,
)
from worker.environments.uv import Unreachable
from worker.errors import MachineError
from worker.sandbox.channel import Channel, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.launch import Program
from worker.sandbox.limits import Limits
from worker.sandbox.shapes import BadFrame, count, many, record, text, variant

BUILDER = Program(Path(__file__).parents[1] / "builder", "_assayer_builder")
BUILD_SECONDS = 180.0
PIECE = MIB
MOST_REQUIRED = 100
GRACE = 10.0
_REPLY = variant(
    requires=record(kind=text, requires=many(text, MOST_REQUIRED)),
    wheel=record(kind=text, name=text, size=count),
    failed=record(kind=text, reason=text),
)


@dataclass(frozen=True, slots=True)
class Requires:
    """What the backend wants beside ``[build-system] requires``; unchecked."""

    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """A wheel as the sandbox handed it out: its name and its bytes, unchecked."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Bench:
    """Where builds run, and until when (of ``time.monotonic``)."""

    isolation: Isolation
    deadline: float

    def run(
        self, tree: Path, python: Path, system: BuildSystem, *, dynamic: bool
    ) -> Requires | Built:
        """Build ``source.tar.gz`` in ``tree`` under the interpreter of its build environment.

        ``dynamic`` asks the backend first what else it needs.  Raises
        ``NotBuilt``, with the last line of the build's output.
        """
        seconds = min(BUILD_SECONDS, self.deadline - time.monotonic())
        if seconds <= 0:
            raise Unreachable("the time for installing was over")
        try:
            guest = GuestProcess.start(
                self.isolation,
                tree=tree,
                python=python,
                limits=Limits(wall_seconds=seconds),
                program=BUILDER,
            )
        except MachineError as error:
            raise Unreachable(f"no build can be started: {error}") from error
        order = {
            "type": "build",
            "archive": f"{guest.root}/source.tar.gz",
            "backend": system.backend,
            "paths": list(system.paths),
            "dynamic": dynamic,
            "size": MOST_UNPACKED,
            "files": MOST_FILES,
        }
        with guest:
            reply = _reply(guest, order, time.monotonic() + seconds + GRACE)
        if isinstance(reply, str):
            said = guest.stopped or _last_line(guest.stderr_tail()) or reply
            raise NotBuilt(f"its build failed: {said}")
        return reply


def _reply(
    guest: GuestProcess, order: Mapping[str, object], deadline: float
) -> Requires | Built | str:
    """What the guest hands out, or why there is nothing."""
    try:
        guest.channel.send(order)
        return _received(guest.channel, deadline)
    except ChannelClosed:
        guest.wait(GRACE)
        return "it ended without a word"
    except (ChannelTimeout, BadFrame) as error:
        return f"it {error}"


def _received(channel: Channel, deadline: float) -> Requires | Built | str:
    message: dict[str, Any] = decoded(channel.frame(deadline - time.monotonic(), PIECE))
    _REPLY(message)
    if message["kind"] == "failed":
        return str(message["reason"])
    if message["kind"] == "requires":
        return Requires(tuple(message["requires"]))
    if message["size"] > LARGEST_WHEEL:
        raise NotBuilt(f"its wheel has more than {LARGEST_WHEEL // MIB} MiB")
    content = bytearray()
    while len(content) < message["size"]:
        piece = channel.frame(deadline - time.monotonic(), PIECE)
        if not piece:
            raise BadFrame("sends nothing")
        content += piece
    return Built(message["name"], bytes(content))


def _last_line(printed: str) -> str:
    return next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")
