"""The escapes that are known, tried against our own isolation."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from worker.sandbox.attack_battery.lasting_attacks import HOLDING, STAYING
from worker.sandbox.attack_battery.main import ATTACKS
from worker.sandbox.canaries import Canaries, canaries
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import GIB, MIB, Limits
from worker.sandbox.guest_process import GuestProcess, guest_program
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.isolation import Isolation
from worker.sandbox.protocol.channel import Channel, ChannelClosed, ChannelTimeout
from worker.sandbox.protocol.frame_shapes import BadFrame

BATTERY = GuestProgram(Path(__file__).parent / "attack_battery", "_attack_battery")
VICTIM = BATTERY.folder / "victim.py"
ZYGOTE = "memory of the zygote in /proc"
LIMITS = Limits(
    memory=256 * MIB,
    address_space=GIB,
    processes=64,
    files=2000,
    file_size=MIB,
    open_files=128,
    cpu_seconds=20,
    wall_seconds=60.0,
    scratch=8 * MIB,
)
BURNING = replace(LIMITS, cpu_seconds=3)
"""For a template's imports too, on a slow machine: they take 0.2 s."""
SECONDS = 40.0
HOLD = 15.0
GUESTS = 3


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One escape, whether the isolation held, and what the attempt met or got."""

    name: str
    held: bool
    detail: str


class AttackedGuest(Protocol):
    """The part of a guest that the attacks need; a context manager that ends it."""

    channel: Channel
    root: str

    @property
    def stopped(self) -> str | None:
        """Return why we stopped it."""

    def wait(self, seconds: float) -> int | None:
        """Wait until it ends by itself; return its status."""

    def stderr_tail(self) -> str:
        """Return the end of what it has printed."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


Starter: TypeAlias = Callable[[LaunchPlan], AttackedGuest]


def run_battery(
    isolation: Isolation,
    only: Collection[str] = (),
    python: Path | str = sys.executable,
    start: Starter = GuestProcess,
) -> list[AttackResult]:
    """Try every attack against ``isolation``, or ``only`` those; raise ``MachineError``."""
    with canaries() as put_out:
        shutil.copy(VICTIM, put_out.tree)
        field = _Field(isolation, put_out, python, start)
        tries = [
            partial(_tried_together, field, [name for name in ATTACKS if not only or name in only]),
            *(partial(_tried_alone, field, n) for n in _ALONE if not only or n in only),
        ]
        with ThreadPoolExecutor(GUESTS) as pool:
            outcomes = [outcome for tried in pool.map(_call, tries) for outcome in tried]
        noticed = ", ".join(put_out.noticed())
    return [*outcomes, AttackResult("anything the host noticed", not noticed, noticed or "nothing")]


def _call(attempt: Callable[[], list[AttackResult]]) -> list[AttackResult]:
    """Try; a guest dies with the thread that started it, so it ends in here."""
    return attempt()


@dataclass(frozen=True, slots=True)
class _Field:
    isolation: Isolation
    put_out: Canaries
    python: Path | str
    start: Starter

    def guest(self, limits: Limits, program: GuestProgram | None = None) -> AttackedGuest:
        """Start a guest on the canaries' tree."""
        tree, python = self.put_out.tree.resolve(), Path(self.python)
        program = program or guest_program()
        return self.start(LaunchPlan(self.isolation, tree, python, limits, program))

    def attacked(
        self, attacks: Collection[str] = (), alone: str = "", limits: Limits = LIMITS
    ) -> AttackedGuest:
        """Start a guest that tries ``attacks``, or one ``alone``."""
        guest = self.guest(limits, BATTERY)
        bounds = ("file_size", "open_files", "files", "scratch", "address_space")
        canary = {
            **self.put_out.orders(),
            "project": guest.root,
            "hold": HOLD,
            **{name: getattr(limits, name) for name in bounds},
        }
        orders = {"attacks": list(attacks), "alone": alone, "canary": canary}
        guest.channel.send({"type": "attack", **orders})
        return guest


def _tried_together(field: _Field, names: list[str]) -> list[AttackResult]:
    """Try many in one guest; one that left no word was not held."""
    with field.attacked(names) as guest:
        status = guest.wait(LIMITS.wall_seconds)
    ended = guest.stopped or f"exit status {status}"
    said = {attack.name: attack for attack in _reported(guest.stderr_tail())}
    return [
        *(
            said.get(name) or AttackResult(name, held=False, detail="was not tried")
            for name in names
        ),
        AttackResult("the battery to its end", status == 0, ended),
    ]


def _reported(printed: str) -> Iterator[AttackResult]:
    for line in printed.splitlines():
        if line.startswith('{"attack"'):
            said = json.loads(line)
            yield AttackResult(said["attack"], said["held"], said["detail"])


def _tried_alone(field: _Field, name: str) -> list[AttackResult]:
    return [_ALONE[name](field, name)]


def _holding(field: _Field, name: str) -> AttackResult:
    """Try to use too much: an error, or the end of the guest, holds it."""
    limits = BURNING if name == "burning the processor" else LIMITS
    with field.attacked(alone=name, limits=limits) as guest:
        status = guest.wait(SECONDS)
    if guest.stopped:
        return AttackResult(name, held=True, detail=guest.stopped)
    for said in _reported(guest.stderr_tail()):
        return said
    killed = bool(status) and status in {-signal.SIGKILL, 128 + signal.SIGKILL}
    return AttackResult(name, killed, f"ended with status {status}")


def _staying(field: _Field, name: str) -> AttackResult:
    token = f"{field.put_out.token}-{_MARKS[name]}"
    with field.attacked(alone=name):
        appeared = _appears(token)
    left = _left(token)
    if not appeared:
        return AttackResult(name, held=False, detail="the attack itself did not start")
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return AttackResult(name, not left, f"left {left}" if left else "gone with its guest")


def _zygote(field: _Field, name: str) -> AttackResult:
    """Let the guest that runs tested code run a function that attacks it; twice if need be."""
    ending: Mapping[str, str] = {}
    for _ in range(2):
        with field.guest(replace(LIMITS, address_space=4 * GIB)) as guest:
            ending = _rewriting(guest)
        if ending["kind"] in {"raised", "returned"}:
            break
    held = ending["kind"] == "raised" and ending["exception"] in {"PermissionError", "OSError"}
    return AttackResult(name, held, ending.get("message") or ending.get("value") or ending["kind"])


def _rewriting(guest: AttackedGuest) -> Mapping[str, str]:
    target = {"path": VICTIM.name, "function": "rewrite", "files": [], "hidden": []}
    probes: list[dict[str, object]] = [{"arguments": {}, "script": None}]
    prepare = {"type": "prepare", "root": guest.root, "catalogue": [], "schemas": {}}
    try:
        guest.channel.send({**prepare, **target})
        said = guest.channel.receive(SECONDS)
        if said["type"] == "prepared":
            guest.channel.send({"type": "run", "blobs": {}, "probes": probes, "seconds": SECONDS})
            said = guest.channel.receive(SECONDS)
    except (BadFrame, ChannelClosed, ChannelTimeout) as error:
        tail = guest.stderr_tail().strip()[-500:]
        return {"kind": "failed", "message": f"{error} {guest.stopped or tail}"}
    if said["type"] != "ran":
        tail = said.get("reason") or guest.stderr_tail().strip()[-200:]
        return {"kind": "failed", "message": f"{said['type']}: {tail}"}
    ending: Mapping[str, str] = said["results"][0]["ending"]
    return ending


_MARKS = {"ignoring signals": "deaf", "daemonising": "daemon"}
_ALONE: Mapping[str, Callable[[_Field, str], AttackResult]] = {
    **dict.fromkeys(HOLDING, _holding),
    **dict.fromkeys(STAYING, _staying),
    ZYGOTE: _zygote,
}


def _appears(token: str) -> bool:
    deadline = time.monotonic() + SECONDS
    while not _left(token):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _left(token: str) -> list[int]:
    """Return the processes whose command line holds ``token``."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if token.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
