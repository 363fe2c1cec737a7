"""Processes that run inputs, and may die or hang of them."""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import gc
import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional

from .time_limits import attend, clock_of, now, release

_DUMPABLE = 4
_PARENT_DEATH_SIGNAL = 1
EXIT_SECONDS = 5.0


OUR_FAILURE = 70
"""The exit status of a child whose own work failed (sysexits(3), EX_SOFTWARE)."""


def fork(work: Callable[[], None]) -> int:
    """Do ``work`` in a child process, which exits with ``OUR_FAILURE`` when that fails."""
    until = time.monotonic() + EXIT_SECONDS
    while True:
        try:
            child = os.fork()
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
    if child == 0:
        _leave_after(work)
    return child


def _leave_after(work: Callable[[], None]) -> NoReturn:
    status = OUR_FAILURE
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        work()
        status = 0
    except BaseException:
        report_own_failure()
    finally:
        os._exit(status)


def end_with_parent() -> None:
    """Let this process be killed once the one that forked it has ended (Linux)."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def discard_streams() -> None:
    """Let the standard streams lead nowhere, those of native code too."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


def quieten() -> None:
    """Write no core file and no text in this process, and let torch use one thread."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    faulthandler.disable()
    discard_streams()
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_exactly(descriptor: int, size: int, waits: Optional[Callable[[], bool]] = None) -> bytes:
    """Return so many bytes; raises ``EOFError``, ``TimeoutError`` once it ``waits`` no longer."""
    found = bytearray()
    while len(found) < size:
        while waits is not None and not select.select([descriptor], [], [], TICK)[0]:
            if not waits():
                raise TimeoutError
        part = os.read(descriptor, min(size - len(found), 1 << 20))
        if not part:
            raise EOFError
        found += part
    return bytes(found)


def report_own_failure() -> None:
    """Say on the host's stream what went wrong with ourselves."""
    import traceback

    text = traceback.format_exc()[-4000:]
    try:
        os.write(_errors, text.encode("utf-8", "replace"))
    except OSError:
        os._exit(2)


_errors = 2


_host = -1


def hide_streams(descriptor: int) -> int:
    """Keep streams and descriptor out of the way of tested code."""
    global _errors, _host
    _host = descriptor
    _errors = os.dup(2)
    os.set_inheritable(_errors, False)
    os.set_inheritable(descriptor, False)
    discard_streams()
    sys.stdin, sys.stdout, sys.stderr = _streams()
    make_undumpable()
    return descriptor


def make_undumpable() -> None:
    """Let no process without privileges reach this one's memory and descriptors by /proc."""
    ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def disconnect_from_host() -> None:
    """Close the way to the host in a process that has nothing to say there."""
    global _host
    if _host >= 0:
        os.close(_host)
        _host = -1


def _streams() -> Any:
    null = Path(os.devnull)
    return null.open(), null.open("w"), null.open("w")


_STATE = struct.Struct("=qqdqq")
_SIZE = 1 << 20
IDLE, RUNNING, BROKEN = 0, 1, 2


class RunningInput(NamedTuple):
    """The input that runs, since when (monotonic seconds), and its step of the work."""

    text: str
    since: float
    step: int


class RunningInputRecord:
    """The input in flight, known also after the process that ran it has died."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def begin(self, text: bytes, step: int = 0) -> None:
        """An input begins."""
        length = min(len(text), _SIZE - _STATE.size)
        self._memory[_STATE.size : _STATE.size + length] = text[:length]
        begun = self.begun + 1
        _STATE.pack_into(self._memory, 0, RUNNING, begun, time.monotonic(), length, step)

    def end(self) -> None:
        """It has ended."""
        _STATE.pack_into(self._memory, 0, IDLE, self.begun, 0.0, 0, 0)

    def break_off(self) -> None:
        """The process itself fails, whatever it was at."""
        _STATE.pack_into(self._memory, 0, BROKEN, *_STATE.unpack_from(self._memory)[1:])

    @property
    def begun(self) -> int:
        """Return how many inputs have begun."""
        return int(_STATE.unpack_from(self._memory)[1])

    @property
    def is_broken(self) -> bool:
        """Return whether the process itself has failed."""
        return bool(_STATE.unpack_from(self._memory)[0] == BROKEN)

    @property
    def now(self) -> Optional[RunningInput]:
        """The input that runs, if one does."""
        state, _, since, _, step = _STATE.unpack_from(self._memory)
        return RunningInput(self._text, float(since), int(step)) if state == RUNNING else None

    @property
    def broke(self) -> Optional[str]:
        """The input at which the process failed, if it was at one."""
        return (self._text or None) if self.is_broken else None

    @property
    def _text(self) -> str:
        length = _STATE.unpack_from(self._memory)[3]
        text = self._memory[_STATE.size : _STATE.size + length]
        return text.decode("utf-8", "replace")


Frame = Dict[str, Any]
LONGEST_REPORT = 4 << 20


class InvalidReport(Exception):  # noqa: N818 - a fact about what was read
    """A line that is no report."""


def encode_report(frame: Frame) -> bytes:
    """A report as a line."""
    return json.dumps(frame).encode() + b"\n"


def check_length(part: bytes) -> None:
    """Raise :class:`InvalidReport` for a line that has become too long."""
    if len(part) > LONGEST_REPORT:
        raise InvalidReport("a line without end")


Report = Callable[[Frame], None]
Read = Callable[[bytes], Frame]
END_GRACE = 2.0
TICK = 0.05
_SET_PIPE_SIZE, _PIPE = 1031, 1 << 20


class Worker:
    """One process: what it reports, and how it ended.

    ``read`` makes a report of a line, or raises :class:`InvalidReport`.  ``timeout``
    is the limit of one input in seconds, after which it hangs; ``until`` is
    when all of its work is to be over (seconds of :mod:`..worktime`).  Once it
    :attr:`is_over`: ``hung`` is the input that was killed for hanging, ``lost``
    the one under which the process ended by itself, by ``signal`` (0: it
    left); ``failed`` says that the work itself did, at the input ``broke`` if
    it was at one, and ``late`` that it was not over in time.  Failing is our
    own fault where no input had ``begun``; what runs can do it to its process,
    too.
    """

    def __init__(
        self,
        task: Callable[[Report, RunningInputRecord], None],
        read: Read,
        timeout: float,
        until: float,
    ) -> None:
        self._read = read
        self._timeout = timeout
        self._most = until - now() + END_GRACE
        self._flight = RunningInputRecord()
        self._status: Optional[int] = None
        self._killed = False
        self._pending = b""
        self.is_over = False
        self.hung: Optional[RunningInput] = None
        self.lost: Optional[RunningInput] = None
        self.signal = 0
        self.failed = False
        self.late = False
        self.descriptor, writing = os.pipe()
        with suppress(OSError):
            fcntl.fcntl(writing, _SET_PIPE_SIZE, _PIPE)
        self._child = fork(lambda: self._work(task, writing))
        os.close(writing)
        self._clock = clock_of(self._child)
        self._flying = (0.0, 0.0)
        attend(self._child)

    def _work(self, task: Callable[[Report, RunningInputRecord], None], writing: int) -> None:
        end_with_parent()
        disconnect_from_host()
        gc.freeze()
        os.close(self.descriptor)
        os.set_inheritable(writing, False)

        def report(frame: Frame) -> None:
            write_all(writing, encode_report(frame))

        try:
            task(report, self._flight)
        except BaseException:
            self._flight.break_off()
            raise

    @property
    def begun(self) -> bool:
        """Return whether any input was begun."""
        return self._flight.begun > 0

    @property
    def broke(self) -> Optional[str]:
        """The input at which the work failed."""
        return self._flight.broke

    def reports(self) -> Iterator[Frame]:
        """Yield what the process reports, until it has ended, or what it says is no report."""
        try:
            while not self.is_over:
                if self._status is None:
                    select.select([self.descriptor], [], [], TICK)
                yield from self.poll()
        finally:
            self.close()

    def poll(self) -> List[Frame]:
        """Return what it has reported since; kills it where it hangs, notes how it ended."""
        frames: List[Frame] = []
        try:
            if not self._receive(frames):
                self.close()
        except InvalidReport:
            self._flight.break_off()
            self._kill()
            self.failed = True
            self.close()
        return frames

    def _receive(self, frames: List[Frame]) -> bool:
        """Read what is there; whether more may come."""
        ended = self._has_ended()
        ready, _, _ = select.select([self.descriptor], [], [], 0)
        received = os.read(self.descriptor, 1 << 16) if ready else b""
        if not received and (ready or ended):
            return False
        *whole, self._pending = (self._pending + received).split(b"\n")
        for line in whole:
            frames.append(self._read(line))
        check_length(self._pending)
        if not ended:
            self._watch()
        return True

    def _has_ended(self) -> bool:
        if self._status is None:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._note(status)
        return self._status is not None

    def _watch(self) -> None:
        """Kill the process where an input hangs, or all of it takes too long."""
        worked, flying = self._clock.now(), self._flight.now
        if flying is not None and flying.since != self._flying[0]:
            self._flying = flying.since, worked
        if flying is not None and worked - self._flying[1] > self._timeout:
            self.hung = flying
            self._kill()
        elif worked > self._most and flying is None:
            self.late = True
            self._kill()

    def _kill(self) -> None:
        if self._status is None and not self._killed:
            os.kill(self._child, signal.SIGKILL)
            self._killed = True

    def close(self) -> None:
        """Let it end, and note how it did."""
        if self.is_over:
            return
        self.is_over = True
        os.close(self.descriptor)
        if self._status is None:
            self._await()
        if self._killed:
            return
        status = self._status or 0
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.failed = self.failed or self._flight.is_broken
        self.lost = self._flight.now

    def _await(self) -> None:
        """Wait for the end; whoever stopped listening does not wait for long."""
        deadline = time.monotonic() + END_GRACE
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.005)
        if self._status is None:
            self._kill()
            self._note(os.waitpid(self._child, 0)[1])

    def _note(self, status: int) -> None:
        self._status = status
        release(self._child)
