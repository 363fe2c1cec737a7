"""The parent's side: an interpreter whose Keras computes with another backend, kept warm."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Sequence

from ...runtime import exit_reasons
from ...runtime.time_limits import CLOCK
from ..model_types import Unsupported
from . import array_frames
from .array_frames import deserialize
from .serialized_model import MOST_MODELS

START_SECONDS = 60.0
_FOLDER = str(Path(__file__).resolve().parents[__name__.count(".")])


class RaisedInBackend(Exception):  # noqa: N818 - what another process has raised
    """Exception of a model over another backend; its class has the name that the type has there."""


@dataclass
class BackendProcess:
    """One interpreter: asked one thing after the other, by the process that started it.

    Raises :class:`Unsupported` where Keras does not start there, what is asked is beyond the
    backend by its own word, or takes too long; :class:`RaisedInBackend` for what the model raises
    and for a process that dies of it.
    """

    backend: str
    process: int = 0
    version: str = ""
    models: List[int] = field(default_factory=list)
    _owner: int = 0
    _reading: int = -1
    _writing: int = -1

    def start(self) -> None:
        """Start the interpreter; Keras is waited for at the first question."""
        try:
            self._spawn()
        except OSError as error:
            raise Unsupported(f"{self.backend} was not started: {error}") from error

    def _spawn(self) -> None:
        theirs, self._writing = os.pipe()
        self._reading, back = os.pipe()
        self._owner = os.getpid()
        for descriptor in (theirs, back):
            os.set_inheritable(descriptor, True)
        try:
            self.process = os.posix_spawn(
                sys.executable,
                [sys.executable, "-s", "-B", "-c", self._program(theirs, back)],
                _environment(self.backend),
                setsigmask=[],
                setsigdef=[signal.SIGALRM, signal.SIGINT],
            )
        except OSError:
            os.close(self._reading)
            os.close(self._writing)
            raise
        finally:
            os.close(theirs)
            os.close(back)

    def _await_keras(self) -> None:
        try:
            hello, _ = self._received(START_SECONDS)
        except RaisedInBackend as raised:
            raise Unsupported(f"{self.backend} did not start: {raised}") from raised
        if "raised" in hello:
            self.close()
            raise Unsupported(f"{self.backend}: {hello['raised']}: {hello['message']}")
        self.version = hello["version"]

    def _program(self, theirs: int, back: int) -> str:
        package = __package__ or ""
        folders, here = [_FOLDER, *sys.path], str(Path.cwd())
        return (
            f"import sys; sys.path.insert(0, {_FOLDER!r}); "
            f"from {package}.backend_server import start; "
            f"start({folders!r}, {here!r}, {theirs}, {back})"
        )

    def ask(self, question: Dict[str, Any], arrays: Sequence[Any], seconds: float) -> Any:
        """Return the answer's value."""
        with CLOCK.paused():
            if not self.version:
                self._await_keras()
            answer, found = self._asked({**question, "seconds": seconds}, arrays, seconds)
        if "raised" not in answer:
            return deserialize(answer["value"], found) if "value" in answer else None
        if answer["limit"]:
            raise Unsupported(f"{answer['raised']}: {answer['message']}")
        raise _raised(answer["raised"], answer["message"])

    def hand_over(
        self, model: int, question: Dict[str, Any], arrays: Sequence[Any], seconds: float
    ) -> None:
        """Let it make a model; the oldest that it has goes where there are too many."""
        while len(self.models) >= MOST_MODELS:
            self.models.pop(0)
        self.ask(question, arrays, seconds)
        self.models.append(model)

    def _asked(self, question: Dict[str, Any], arrays: Sequence[Any], seconds: float) -> Any:
        try:
            array_frames.write_frame(self._writing, array_frames.pack_frame(question, arrays))
        except array_frames.PipeClosed:
            raise self._gone() from None
        return self._received(seconds)

    def _received(self, seconds: float) -> array_frames.Frame:
        try:
            return array_frames.read_frame(self._reading, seconds)
        except array_frames.PipeClosed:
            raise self._gone() from None
        except array_frames.PipeTimeout:
            self.close()
            raise Unsupported(f"{self.backend} took longer than {seconds:g} s") from None
        except (ValueError, KeyError) as error:
            self.close()
            raise Unsupported(f"{self.backend} answered nonsense: {error}") from error

    def _gone(self) -> Exception:
        status = self.close()
        if os.WIFSIGNALED(status) and exit_reasons.is_crash(os.WTERMSIG(status)):
            name = signal.Signals(os.WTERMSIG(status)).name
            return _raised("Died", f"its process died of {name}")
        return Unsupported(f"the process of {self.backend} ended (status {status})")

    def close(self) -> int:
        """End the process; its status."""
        if self._owner != os.getpid() or not self.process:
            return 0
        process, self.process = self.process, 0
        _CHILDREN.pop(self.backend, None)
        for descriptor in (self._reading, self._writing):
            os.close(descriptor)
        return _ended(process)

    @property
    def is_ours(self) -> bool:
        """Return whether this process has started it: one that was forked since may not ask it."""
        return self._owner == os.getpid() and self.process > 0


def _raised(kind: str, message: str) -> RaisedInBackend:
    made: RaisedInBackend = type(kind, (RaisedInBackend,), {})(message)
    return made


def _ended(process: int) -> int:
    until = time.monotonic() + 0.5
    with suppress(ChildProcessError):
        while time.monotonic() < until:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.005)
        os.kill(process, signal.SIGKILL)
        return os.waitpid(process, 0)[1]
    return 0


def _environment(backend: str) -> Dict[str, str]:
    quiet = {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **quiet, **threads, "KERAS_BACKEND": backend}


_CHILDREN: Dict[str, BackendProcess] = {}


def warm_backend(backend: str) -> BackendProcess:
    """Return the warm child of a backend, started where there is none."""
    found = _CHILDREN.get(backend)
    if found is None or not found.is_ours:
        found = BackendProcess(backend)
        found.start()
        _CHILDREN[backend] = found
    return found


@atexit.register
def close_all() -> None:
    """End all children of this process."""
    for each in list(_CHILDREN.values()):
        each.close()


__all__ = ["BackendProcess", "RaisedInBackend", "close_all", "warm_backend"]
