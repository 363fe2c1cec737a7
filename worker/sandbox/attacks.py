"""The escapes that are known, tried against our own isolation."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.sandbox.canaries import Canaries, canaries
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.launch import Program
from worker.sandbox.limits import GIB, MIB, Limits
from worker.temporary import owned_folder

BATTERY = Program(Path(__file__).parent / "attack_battery", "_attack_battery")
LIMITS = Limits(
    memory=256 * MIB,
    address_space=GIB,
    processes=64,
    file_size=MIB,
    open_files=128,
    cpu_seconds=20,
    wall_seconds=60.0,
    scratch=8 * MIB,
)
ENDING = 3.0


@dataclass(frozen=True, slots=True)
class Attack:
    """One escape, whether the isolation held, and what the attempt met or got."""

    name: str
    held: bool
    detail: str


def run_battery(isolation: Isolation, only: Collection[str] = ()) -> list[Attack]:
    """Try every attack against ``isolation``, or ``only`` those; about a second.

    All are harmless where nothing holds them.  Raises ``MachineError`` where
    a guest does not start.
    """
    with canaries() as put_out, owned_folder("attacks") as tree:
        field = _Field(isolation, put_out, tree, tuple(only))
        inside = _tried_inside(field)
        heard = ", ".join(put_out.heard())
        return [
            *inside,
            Attack("anything the host heard", not heard, heard or "nothing"),
            *(attack(field) for name, attack in _LASTING.items() if field.wants(name)),
        ]


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a battery is fought."""

    isolation: Isolation
    put_out: Canaries
    tree: Path
    only: tuple[str, ...]

    def wants(self, name: str) -> bool:
        return not self.only or name in self.only

    def started(self, lasting: str = "") -> GuestProcess:
        """Start a guest and give it its orders."""
        guest = GuestProcess.start(self.isolation, tree=self.tree, limits=LIMITS, program=BATTERY)
        limits = {
            "file_size": LIMITS.file_size,
            "open_files": LIMITS.open_files,
            "scratch": LIMITS.scratch,
            "address_space": LIMITS.address_space,
        }
        canary = {**self.put_out.orders(), "project": guest.root, **limits}
        orders = {"lasting": lasting, "only": self.only, "canary": canary}
        guest.channel.send({"type": "attack", **orders})
        return guest


def _tried_inside(field: _Field) -> list[Attack]:
    with field.started() as guest:
        status = guest.wait(LIMITS.wall_seconds)
    ended = guest.stopped or f"exit status {status}"
    return [
        *_reported(guest.stderr_tail()),
        Attack("the battery to its end", status == 0, ended),
    ]


def _reported(printed: str) -> Iterator[Attack]:
    for line in printed.splitlines():
        if line.startswith('{"attack"'):
            said = json.loads(line)
            yield Attack(said["attack"], said["held"], said["detail"])


def _hoarding(field: _Field) -> Attack:
    with field.started("memory of many processes") as guest:
        guest.wait(ENDING)
        stopped = guest.stopped
    held = stopped is not None
    return Attack("memory of many processes", held, stopped or "was not stopped")


def _staying(field: _Field, name: str, mark: str) -> Attack:
    """Close a guest that wants to stay, and look for what is left of it."""
    token = f"{field.put_out.token}-{mark}"
    with field.started(name):
        appeared = _appears(token)
    left = _left(token)
    if not appeared:
        return Attack(name, held=False, detail="the attack itself did not start")
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return Attack(name, not left, f"left {left}" if left else "gone with its guest")


def _deaf(field: _Field) -> Attack:
    return _staying(field, "ignoring signals", "deaf")


def _daemon(field: _Field) -> Attack:
    return _staying(field, "daemonising", "daemon")


_LASTING: Mapping[str, Callable[[_Field], Attack]] = {
    "memory of many processes": _hoarding,
    "ignoring signals": _deaf,
    "daemonising": _daemon,
}


def _appears(token: str) -> bool:
    deadline = time.monotonic() + ENDING
    while not _left(token):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _left(token: str) -> list[int]:
    """Return the processes whose command line holds ``token``."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if token.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
