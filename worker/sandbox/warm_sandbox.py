"""A sandbox whose first process has imported libraries, and forks one guest at a time.

Guests that run at the same time are in different sandboxes.  Of a guest that has ended nothing
is left to the next: its processes are killed, its files removed, and from outside the sandbox is
compared with what it was before any guest.  Where that differs, the sandbox is not used again.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

from worker.sandbox.command_lines import SCRATCH, WRITABLE, mount_points, python_binds
from worker.sandbox.guest_limits import MIB
from worker.sandbox.guest_process import END_SECONDS, MOST_PRINTED, TAIL, GuestProcess
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.protocol.channel import Channel, ChannelClosed, ChannelTimeout, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame

PRELOAD_SECONDS = 60.0
FORK_SECONDS = 10.0
CLEAR_SECONDS = 10.0
SETTLING_SECONDS = 2.0
PAUSE = 0.002
LONGEST_FRAME = 4096
IDLE_SECONDS = 24 * 3600.0
HOME = f"{SCRATCH}/home"
FIELDS = (19, 40, 41)
"""Of ``/proc/PID/stat`` (proc_pid_stat(5)): nice, rt_priority, policy."""
STATUS = (
    *("TracerPid", "Uid", "Gid", "Groups", "Threads", "SigBlk", "SigIgn", "SigCgt"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp"),
    *("Seccomp_filters", "Cpus_allowed", "Mems_allowed"),
)


class Guest(Protocol):
    """One running guest, forked or started afresh."""

    channel: Channel
    root: str
    pid: int

    @property
    def stopped(self) -> str | None:
        """Return why we stopped it (memory or time), ``None`` if we did not."""

    def why_stopped(self) -> str | None:
        """Return :attr:`stopped` of a guest that has closed its channel, once that is known."""

    def stderr_tail(self) -> str:
        """Return the end of what it has printed."""
        ...

    def close(self) -> None:
        """End all of its processes."""


class Unforkable(Exception):  # noqa: N818 - a fact about libraries
    """No guest can be forked where these libraries are imported; says why."""


@dataclass(frozen=True, slots=True)
class SandboxState:
    """The state of a sandbox that a guest could change, as the host sees it."""

    processes: frozenset[str]
    children: tuple[int, ...]
    limits: str
    scheduling: tuple[str, ...]
    status: tuple[str, ...]
    folders: tuple[tuple[int, ...], ...]


class WarmSandbox:
    """A sandbox with a template process; ``modules`` are what that imported.

    Raises ``MachineError`` where it does not start and ``Unforkable`` where it cannot fork.  The
    sandbox dies with the thread that starts it.
    """

    def __init__(self, plan: LaunchPlan, modules: Sequence[str]) -> None:
        self.plan = plan
        self.modules = frozenset(modules)
        program = replace(plan.program, module="template")
        limits = replace(plan.limits, wall_seconds=PRELOAD_SECONDS)
        self._sandbox = GuestProcess(replace(plan, program=program, limits=limits))
        try:
            self._sandbox.channel.send_with(_preload_frame(plan, modules))
            self._expect("clear", PRELOAD_SECONDS)
            self._template = _only_child(self._sandbox.pid)
            self._pristine = self._state()
        except (BadFrame, ChannelClosed, ChannelTimeout, OSError, ValueError) as error:
            reason = _why_not_started(self._sandbox, error)
            self._sandbox.close()
            raise Unforkable(reason) from error
        except BaseException:
            self._sandbox.close()
            raise
        self._sandbox.renew(IDLE_SECONDS)

    def fork(self) -> ForkedGuest:
        """Fork a guest, in a sandbox that is as it was; raise ``Unforkable``."""
        with ExitStack() as given, ExitStack() as held:
            ours, theirs = socket.socketpair()
            held.enter_context(ours)
            given.enter_context(theirs)
            output, printed = os.pipe()
            held.callback(os.close, output)
            given.callback(os.close, printed)
            try:
                self._sandbox.channel.send_with({"type": "fork"}, (theirs.fileno(), printed))
                self._expect("forked", FORK_SECONDS)
                pid = _only_child(self._template)
            except (BadFrame, ChannelClosed, ChannelTimeout, OSError, ValueError) as error:
                raise Unforkable(f"{type(error).__name__}: {error}") from error
            self.renew()
            return ForkedGuest(self, ours, output, pid, held.pop_all())

    def renew(self) -> None:
        """Let its guest run for as long as a guest may from now on."""
        self._sandbox.renew(self.plan.limits.wall_seconds)

    def recovered(self) -> bool:
        """End the guest; return whether the sandbox is again what it was before it."""
        if self.ended:
            return False
        try:
            self._sandbox.channel.send_with({"type": "clear"})
            self._expect("clear", CLEAR_SECONDS)
        except (BadFrame, ChannelClosed, ChannelTimeout):
            return False
        until = time.monotonic() + SETTLING_SECONDS
        while time.monotonic() < until:
            with suppress(OSError, ValueError):
                if self._state() == self._pristine:
                    self._sandbox.renew(IDLE_SECONDS)
                    return self._sandbox.stopped is None
            time.sleep(PAUSE)
        return False

    @property
    def stopped(self) -> str | None:
        """Return why we stopped the sandbox, ``None`` if we did not."""
        return self._sandbox.stopped

    @property
    def ended(self) -> bool:
        """Return whether its first process is gone, or was stopped by us."""
        return self._sandbox.stopped is not None or self._sandbox.exit_status is not None

    @property
    def root(self) -> str:
        """The place where guests see the tree."""
        return self._sandbox.root

    def why_stopped(self, process: int) -> str | None:
        """Return :attr:`stopped` once a guest's process has ended."""
        select.select([process], [], [], 1.0)
        return self._sandbox.why_stopped() if self._sandbox.stopped else None

    def stop(self, reason: str) -> None:
        """Kill every process in the sandbox, for a reason."""
        self._sandbox.stop(reason)

    def close(self) -> None:
        """Kill every process in the sandbox, and free what it held."""
        self._sandbox.close()

    def _expect(self, kind: str, seconds: float) -> None:
        """Read the template's answer; it has run code of libraries, so it is checked."""
        frame = decoded(self._sandbox.channel.frame(seconds, LONGEST_FRAME))
        if frame.get("type") == "unforkable" and isinstance(frame.get("reason"), str):
            raise Unforkable(frame["reason"])
        if frame != {"type": kind}:
            raise BadFrame(f"a template said {frame.get('type')!r} in place of {kind!r}")

    def _state(self) -> SandboxState:
        inside, template = Path(f"/proc/{self._sandbox.pid}/root"), Path(f"/proc/{self._template}")
        stat = (template / "stat").read_text().rpartition(")")[2].split()
        status = dict(line.split(":", 1) for line in (template / "status").read_text().splitlines())
        return SandboxState(
            processes=frozenset(_processes(inside)),
            children=_children(self._template),
            limits=(template / "limits").read_text(),
            scheduling=tuple(stat[field - 3] for field in FIELDS),
            status=tuple(status.get(name, "") for name in STATUS),
            folders=tuple(_folder_state(inside, folder) for folder in WRITABLE),
        )


def _why_not_started(sandbox: GuestProcess, error: Exception) -> str:
    if stopped := sandbox.why_stopped():
        return stopped
    status, tail = sandbox.exit_status, sandbox.stderr_tail()[-300:]
    ended = "" if status is None else f", exit status {status}"
    return f"{type(error).__name__}: {error}{ended} {tail}".strip()


def _preload_frame(plan: LaunchPlan, modules: Sequence[str]) -> Mapping[str, Any]:
    layer = () if plan.layer is None else (str(plan.layer),)
    return {
        "type": "preload",
        "modules": sorted(modules),
        "layer": None if plan.layer is None else str(plan.layer),
        "writable": list(WRITABLE),
        "home": HOME,
        "kept": list(mount_points([*layer, *(bind.target for bind in python_binds(plan.python))])),
    }


def _processes(inside: Path) -> Iterator[str]:
    return (entry.name for entry in (inside / "proc").iterdir() if entry.name.isdigit())


def _folder_state(inside: Path, folder: str) -> tuple[int, ...]:
    """Return a writable folder's number of files and blocks, its mode, owner and time."""
    place = inside / folder.lstrip("/")
    mount, own = os.statvfs(place), place.stat()
    files, blocks = mount.f_files - mount.f_ffree, mount.f_blocks - mount.f_bfree
    names = {entry.name for entry in place.iterdir()}
    kept = {Path(HOME).name} if folder == SCRATCH else set[str]()
    other = len(names ^ kept) + len(os.listxattr(place))
    return files, blocks, own.st_mode, own.st_uid, own.st_gid, own.st_mtime_ns, other


def _children(pid: int) -> tuple[int, ...]:
    return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def _only_child(pid: int) -> int:
    children = _children(pid)
    if len(children) != 1:
        raise ValueError(f"{len(children)} processes where one is expected")
    return children[0]


class _PrintedText(threading.Thread):
    """Reads what a guest prints until all of its processes have ended; too much stops it."""

    def __init__(self, output: int, sandbox: WarmSandbox) -> None:
        super().__init__(name="printed", daemon=True)
        self._output = output
        self.sandbox = sandbox
        self.tail = b""

    def run(self) -> None:
        """Read to the end."""
        printed = 0
        while piece := os.read(self._output, TAIL):
            printed += len(piece)
            self.tail = (self.tail + piece)[-TAIL:]
            if printed > MOST_PRINTED:
                self.sandbox.stop(f"it printed more than {MOST_PRINTED // MIB} MiB")


class ForkedGuest:
    """A guest that was forked in a warm sandbox, which is its own until it is closed."""

    def __init__(
        self, sandbox: WarmSandbox, ours: socket.socket, output: int, pid: int, held: ExitStack
    ) -> None:
        self.channel = Channel(ours)
        self.root = sandbox.root
        self.pid = pid
        self.sandbox = sandbox
        self._held = held
        self._printed = _PrintedText(output, sandbox)
        self._printed.start()
        self.process = os.pidfd_open(pid)
        held.callback(os.close, self.process)
        self._closed = False
        self.on_close = sandbox.close

    @property
    def stopped(self) -> str | None:
        """Return why we stopped it (memory or time), ``None`` if we did not."""
        return self.sandbox.stopped

    def why_stopped(self) -> str | None:
        """Return :attr:`stopped` of a guest that has closed its channel, once that is known."""
        return self.sandbox.why_stopped(self.process)

    def renew(self) -> None:
        """Let it run for as long as a guest may from now on."""
        self.sandbox.renew()

    def stop(self, reason: str) -> None:
        """Kill it, with its sandbox, for a reason."""
        self.sandbox.stop(reason)

    def stderr_tail(self) -> str:
        """Return the end of what it has printed, at most 64 KiB."""
        return self._printed.tail.decode("utf-8", "replace")

    def close(self) -> None:
        """End all of its processes; the sandbox goes back to where it was taken from."""
        if not self._closed:
            self._closed = True
            self.channel.close()
            self.on_close()
            self._printed.join(END_SECONDS)
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
