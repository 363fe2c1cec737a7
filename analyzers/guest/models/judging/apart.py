"""One execution of one model in a process of its own, which it may take down."""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import resource
import select
import shutil
import signal
import struct
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from ... import deaths, worktime
from ..nouns import Outcome

_HEADER = struct.Struct("=q")
_CHUNK = 1 << 20
_LAST = 0.2
_TICK = 0.1

Answering = Callable[[Tuple[Any, ...], Mapping[str, Any]], Outcome]


class Apart:
    """A forked process that prepares an execution once, and then runs it on many inputs.

    ``prepare`` gives what answers; it is called there, as is all that it gives.  A process
    that dies or takes longer than ``seconds`` for an answer answers no more: what it came to
    is the outcome of each input from there on.
    """

    def __init__(self, prepare: Callable[[], Answering], seconds: float) -> None:
        self._seconds = seconds
        self._ended: Optional[Outcome] = None
        self._folder = tempfile.mkdtemp(prefix="assayer-")
        request, self._requests = os.pipe()
        self._answers, answer = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._requests)
            os.close(self._answers)
            tempfile.tempdir = self._folder
            _serve(prepare, request, answer)
        os.close(request)
        os.close(answer)

    def ask(self, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Outcome:
        """What the execution comes to on these arguments."""
        if self._ended is not None:
            return self._ended
        clock = worktime.clock_of(self._process)
        try:
            _write(self._requests, pickle.dumps((tuple(inputs), dict(keywords))))
            return pickle.loads(_read(self._answers, lambda: clock.now() < self._seconds))  # type: ignore[no-any-return]
        except TimeoutError:
            self._ended = Outcome("timed-out", detail=f"took longer than {self._seconds:g} s")
        except (EOFError, BrokenPipeError):
            self._ended = self._death()
        return self._ended

    def close(self) -> None:
        """End the process and what it has started, and remove what it has left in its folder."""
        if self._process:
            for process in (self._process, *_descendants(self._process)):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._gone()

    def _gone(self) -> None:
        self._process = 0
        os.close(self._requests)
        os.close(self._answers)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _death(self) -> Outcome:
        """How the process ended."""
        until = time.monotonic() + _LAST * 10
        status = 0
        while time.monotonic() < until:
            found, status = os.waitpid(self._process, os.WNOHANG)
            if found:
                self._gone()
                break
            time.sleep(_LAST / 100)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if not deaths.is_crash(number):
                return Outcome("timed-out", detail=deaths.reason(number))
            return Outcome("died", detail=f"killed by {signal.Signals(number).name}")
        return Outcome("died", detail=f"left with status {os.WEXITSTATUS(status)}")


def _descendants(process: int) -> List[int]:
    """The processes that a process has started, and that these have: compilers, mostly."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    children = [int(number) for number in text.split()]
    return [*children, *(each for child in children for each in _descendants(child))]


def _serve(prepare: Callable[[], Answering], request: int, answer: int) -> None:
    """The process: prepare at the first request, and answer until there are no more."""
    try:
        _calm()
        answering: Optional[Answering] = None
        while True:
            inputs, keywords = pickle.loads(_read(request, None))
            answering = answering or prepare()
            _write(answer, pickle.dumps(answering(inputs, keywords)))
    except EOFError:
        os._exit(0)
    finally:
        os._exit(1)


def _calm() -> None:
    """One thread, no streams, no core files; what is there already is nobody's garbage."""
    gc.freeze()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    faulthandler.disable()
    for number in (signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT, signal.SIGBUS, signal.SIGILL):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    import torch

    torch.set_num_threads(1)


def _write(descriptor: int, text: bytes) -> None:
    for part in (_HEADER.pack(len(text)), text):
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view) :]


def _read(descriptor: int, waits: Optional[Callable[[], bool]]) -> bytes:
    (length,) = _HEADER.unpack(_exactly(descriptor, _HEADER.size, waits))
    return _exactly(descriptor, length, waits)


def _exactly(descriptor: int, length: int, waits: Optional[Callable[[], bool]]) -> bytes:
    """Read so many bytes; raises ``TimeoutError`` once it ``waits`` no longer."""
    found = bytearray()
    while len(found) < length:
        while waits is not None and not select.select([descriptor], [], [], _TICK)[0]:
            if not waits():
                raise TimeoutError
        part = os.read(descriptor, min(length - len(found), _CHUNK))
        if not part:
            raise EOFError
        found += part
    return bytes(found)
