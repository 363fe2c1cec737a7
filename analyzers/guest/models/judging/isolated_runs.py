"""One execution of one model in a process of its own, which it may take down."""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import signal
import struct
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ...runtime import exit_reasons, time_limits
from ...runtime.child_processes import quieten, read_exactly, write_all
from ..executions.execution_registry import EAGER, FLOAT64, execution_of
from ..executions.exporter_output import error_summary, refusal_reason
from ..executions.tensor_trees import as_numpy, tensor_leaves
from ..model_types import (
    Execution,
    ExecutionOutcome,
    ExecutionOutcomes,
    ModelUnderTest,
    Uncompiled,
    Unsupported,
)

_HEADER = struct.Struct("=q")
_LAST = 0.2

Answering = Callable[[Tuple[Any, ...], Mapping[str, Any]], ExecutionOutcome]


class IsolatedExecution:
    """A forked process that prepares an execution once, and then runs it on many inputs.

    ``prepare`` gives what answers; it is called there, as is all that it gives.  A process
    that dies or takes longer than ``seconds`` for an answer answers no more: what it came to
    is the outcome of each input from there on.
    """

    def __init__(self, prepare: Callable[[], Answering], seconds: float) -> None:
        self._seconds = seconds
        self._ended: Optional[ExecutionOutcome] = None
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

    def ask(self, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> ExecutionOutcome:
        """Return what the execution comes to on these arguments."""
        if self._ended is not None:
            return self._ended
        clock = time_limits.clock_of(self._process)
        try:
            _write(self._requests, pickle.dumps((tuple(inputs), dict(keywords))))
            return pickle.loads(_read(self._answers, lambda: clock.now() < self._seconds))  # type: ignore[no-any-return]
        except TimeoutError:
            self._ended = ExecutionOutcome(
                "timed-out", detail=f"took longer than {self._seconds:g} s"
            )
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

    def _death(self) -> ExecutionOutcome:
        """Return how the process ended."""
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
            if not exit_reasons.is_crash(number):
                return ExecutionOutcome("timed-out", detail=exit_reasons.reason(number))
            return ExecutionOutcome("died", detail=f"killed by {signal.Signals(number).name}")
        return ExecutionOutcome("died", detail=f"left with status {os.WEXITSTATUS(status)}")


def _descendants(process: int) -> List[int]:
    """Return the processes that a process has started, and that these have: compilers, mostly."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    children = [int(number) for number in text.split()]
    return [*children, *(each for child in children for each in _descendants(child))]


def _serve(prepare: Callable[[], Answering], request: int, answer: int) -> None:
    """Prepare at the first request, and answer until there are no more; signals may kill."""
    try:
        gc.freeze()
        quieten()
        for number in (signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT, signal.SIGBUS, signal.SIGILL):
            signal.signal(number, signal.SIG_DFL)
        answering: Optional[Answering] = None
        while True:
            inputs, keywords = pickle.loads(_read(request, None))
            answering = answering or prepare()
            _write(answer, pickle.dumps(answering(inputs, keywords)))
    except EOFError:
        os._exit(0)
    finally:
        os._exit(1)


def _write(descriptor: int, text: bytes) -> None:
    write_all(descriptor, _HEADER.pack(len(text)))
    write_all(descriptor, text)


def _read(descriptor: int, waits: Optional[Callable[[], bool]]) -> bytes:
    (length,) = _HEADER.unpack(read_exactly(descriptor, _HEADER.size, waits))
    return read_exactly(descriptor, length, waits)


RETURNED, RAISED, DIED = "returned", "raised", "died"
UNSUPPORTED, UNCOMPILED = "unsupported", "uncompiled"
SECONDS = 60.0


def run_isolated(
    model: ModelUnderTest, names: Sequence[str], seconds: float = SECONDS
) -> ExecutionOutcomes:
    """Return the outcomes of ``eager``, ``float64`` and these executions for a model's inputs.

    Executions that run foreign native code are forked, may crash, and have ``seconds`` each,
    or what they say that they need.
    An execution that is not available is ``unsupported``.  Raises ``KeyError`` for an unknown
    name.
    """
    with PreparedModel(model, names, seconds) as prepared:
        return prepared.outcomes(model.inputs, model.keywords)


def run_in_process(model: ModelUnderTest, names: Sequence[str]) -> ExecutionOutcomes:
    """Return the same, run in this process: fast, and guarded from errors only."""
    return {
        name: _answering(execution_of(name, model), model)(model.inputs, model.keywords)
        for name in _wanted(names)
    }


class PreparedModel:
    """A model, prepared for several executions, that is run on one input after another."""

    def __init__(
        self, model: ModelUnderTest, names: Sequence[str], seconds: float = SECONDS
    ) -> None:
        self._apart: Dict[str, IsolatedExecution] = {}
        self._answering: Dict[str, Answering] = {}
        _materialise(model)
        for name in _wanted(names):
            execution = execution_of(name, model)
            if getattr(execution, "foreign", False) and execution.unavailable() is None:
                with suppress(Exception):  # what fails here fails in the process, and is told
                    getattr(execution, "warm", lambda: None)()
                longest = max(seconds, getattr(execution, "seconds", 0.0))
                prepare = partial(_answering, execution, model)
                self._apart[name] = IsolatedExecution(prepare, longest)
                self._answering[name] = self._apart[name].ask
            else:
                self._answering[name] = _answering(execution, model)

    def outcomes(self, inputs: Tuple[Any, ...], keywords: Mapping[str, Any]) -> ExecutionOutcomes:
        """Return what the executions come to on these arguments."""
        return {name: answer(inputs, keywords) for name, answer in self._answering.items()}

    def close(self) -> None:
        """End the processes."""
        for each in self._apart.values():
            each.close()

    def __enter__(self) -> PreparedModel:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        self.close()


def _wanted(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys((EAGER, FLOAT64, *names)))


def _materialise(model: ModelUnderTest) -> None:
    """Call a model with lazy layers once, so that they take their sizes before an export."""
    from torch.nn.parameter import is_lazy

    tensors = () if model.framework != "torch" else model.module.parameters()
    if any(map(is_lazy, tensors)):
        _answering(execution_of(EAGER, model), model)(model.inputs, model.keywords)


def _answering(execution: Execution, model: ModelUnderTest) -> Answering:
    """Return an execution of a model as a function of arguments."""
    reason = execution.unavailable()
    if reason is not None:
        return _always(ExecutionOutcome(UNSUPPORTED, detail=reason))
    try:
        run = execution.prepared(model)
    except Exception as error:
        return _always(_failed(error))

    def answer(inputs: Tuple[Any, ...], keywords: Mapping[str, Any]) -> ExecutionOutcome:
        try:
            found = tensor_leaves(run(*inputs, **keywords))
            return ExecutionOutcome(RETURNED, tuple(map(as_numpy, found)))
        except Exception as error:
            return _failed(error)

    return answer


def _always(outcome: ExecutionOutcome) -> Answering:
    return lambda _inputs, _keywords: outcome


def _failed(error: Exception) -> ExecutionOutcome:
    if isinstance(error, Uncompiled):
        return ExecutionOutcome(UNCOMPILED, detail=str(error))
    if isinstance(error, Unsupported):
        return ExecutionOutcome(UNSUPPORTED, detail=str(error))
    if exit_reasons.is_limit(error):
        return ExecutionOutcome("timed-out", detail=exit_reasons.MEMORY)
    reason = refusal_reason(error)
    return ExecutionOutcome(
        RAISED if reason is None else UNSUPPORTED, detail=reason or error_summary(error)
    )
