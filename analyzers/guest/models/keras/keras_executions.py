"""Keras models on their own backend, in float64, and on others in interpreters of their own."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...runtime import exit_reasons
from ...runtime.child_processes import write_all
from ...runtime.time_limits import CLOCK
from ..model_types import Execution, ModelUnderTest, Unsupported
from . import array_frames
from .array_frames import NotSerializable, arrays_in, deserialize, serialize
from .keras_calls import deserialize_with_precision, of_inputs, of_precision, predict, to_numpy
from .serialized_model import MOST_MODELS, SerializedModel, keras_error_summary, serialize_model

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
            write_all(self._writing, array_frames.pack_frame(question, arrays))
        except BrokenPipeError:
            raise self._gone() from None
        return self._received(seconds)

    def _received(self, seconds: float) -> array_frames.Frame:
        try:
            return array_frames.read_frame(self._reading, seconds)
        except EOFError:
            raise self._gone() from None
        except TimeoutError:
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


EPS32, EPS64 = 2.0**-23, 2.0**-52
BACKENDS = ("torch", "jax", "numpy", "tensorflow")
CALL_SECONDS = 30.0


def own_backend() -> str:
    """Return the backend that Keras has, or will have, in this process."""
    keras = sys.modules.get("keras")
    if keras is not None:
        return str(keras.backend.backend())
    return os.environ.get("KERAS_BACKEND", "tensorflow")


class KerasEager:
    """The model on the project's own backend, as its author calls it."""

    name = "keras-eager"
    eps = EPS32
    framework = "keras"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """Return only where Keras is missing."""
        return _missing("keras")

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model itself."""
        module = _keras(model)

        def call(*inputs: Any, **keywords: Any) -> Any:
            return predict(module, inputs, keywords)

        return call


class KerasFloat64(KerasEager):
    """The same backend with all floating layers, weights and inputs in float64."""

    name = "keras-float64"
    eps = EPS64

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return a second model of the same configuration and weights."""
        _keras(model)
        arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
        given = serialize_model(model)
        _check_same(model, given, arguments)
        module = _remade(given, of_inputs(arguments, "float64"))

        def call(*inputs: Any, **keywords: Any) -> Any:
            wide, named = of_inputs(to_numpy((inputs, keywords)), "float64")
            with of_precision("float64"):
                return predict(module, wide, named)

        return call


def _check_same(model: ModelUnderTest, given: SerializedModel, arguments: Any) -> None:
    """Raise :class:`Unsupported` where a model of a class is another one by its configuration."""
    import numpy

    if not given.modules:
        return
    inputs, keywords = arguments
    own = arrays_in(predict(model.module, inputs, keywords))
    _check_remade(given, arguments)
    again = arrays_in(predict(deserialize_with_precision(given, arguments), inputs, keywords))
    same = len(own) == len(again) and all(
        one.shape == other.shape and numpy.allclose(one, other, 1e-3, 1e-5, equal_nan=True)
        for one, other in zip(own, again)
    )
    if not same:
        raise Unsupported("made again from its configuration it gives something else")


def _check_remade(given: SerializedModel, arguments: Any) -> None:
    """Raise :class:`Unsupported` where a model is not made again on its own backend either."""
    try:
        deserialize_with_precision(given, arguments)
    except Exception as error:
        raise Unsupported(
            f"it is not made again from its configuration: {keras_error_summary(error)}"
        ) from error


def _remade(given: SerializedModel, arguments: Any) -> Any:
    try:
        return deserialize_with_precision(given, arguments, "float64")
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(
            f"it is not made again in float64: {keras_error_summary(error)}"
        ) from error


class KerasBackend:
    """The model over another backend, in a child with the same weights."""

    eps = EPS32
    framework = "keras"
    foreign = False

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.name = f"keras-{backend}"

    @property
    def is_own(self) -> bool:
        """Return whether it is the backend that the project runs on already."""
        return self.backend == own_backend()

    def unavailable(self) -> Optional[str]:
        """Return where Keras or the backend is missing, or the project runs on it already."""
        if self.is_own:
            return f"{self.backend} is the backend that the model runs on anyway"
        return _missing("keras") or _missing(self.backend)

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model, handed over."""
        _keras(model)
        remote = RemoteModel(self.backend, model)

        def call(*inputs: Any, **keywords: Any) -> Any:
            return remote.call(inputs, keywords)

        return call


class RemoteModel:
    """A model in a child, made again there after a restart; raises as :class:`BackendProcess`."""

    _made = 0

    def __init__(
        self,
        backend: str,
        model: ModelUnderTest,
        dtype: str = "float32",
        seconds: float = CALL_SECONDS,
    ) -> None:
        self._backend, self._dtype, self._seconds = backend, dtype, seconds
        self._given = serialize_model(model)
        self._arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
        RemoteModel._made += 1
        self._number = RemoteModel._made
        self._host()

    def _host(self) -> BackendProcess:
        found = warm_backend(self._backend)
        if self._number not in found.models:
            arrays = list(self._given.weights)
            rest, told_ = _versioned_reason(self._arguments)
            question = {
                **self._about("build"),
                "weights": len(arrays),
                "config": self._given.config,
                "modules": list(self._given.modules),
                "arguments": told_,
                "dtype": self._dtype,
            }
            try:
                found.hand_over(self._number, question, [*arrays, *rest], self._seconds)
            except RaisedInBackend as raised:
                _check_remade(self._given, self._arguments)
                raise raised from None
        return found

    def _about(self, ask: str) -> Dict[str, Any]:
        return {"ask": ask, "model": self._number}

    def call(self, inputs: Sequence[Any], keywords: Dict[str, Any]) -> Any:
        """Return what the model gives, as arrays."""
        return self._asked("call", "arguments", (tuple(inputs), keywords))

    def replayed(self, steps: Sequence[Tuple[int, Any]]) -> Any:
        """Return what layers give for such arguments, each by its number."""
        return self._asked("replay", "steps", [tuple(step) for step in steps])

    def _asked(self, ask: str, name: str, value: Any) -> Any:
        arrays, tree = _versioned_reason(to_numpy(value))
        return self._host().ask({**self._about(ask), name: tree}, arrays, self._seconds)


def _versioned_reason(value: Any) -> Tuple[List[Any], Any]:
    arrays: List[Any] = []
    try:
        tree = serialize(value, arrays)
    except NotSerializable as error:
        raise Unsupported(f"its arguments cannot be sent: {error}") from error
    return arrays, tree


def _keras(model: ModelUnderTest) -> Any:
    if model.framework != "keras":
        raise Unsupported("it is no model of Keras")
    return model.module


def _missing(package: str) -> Optional[str]:
    try:
        there = package in sys.modules or find_spec(package) is not None
    except (ImportError, ValueError):
        there = False
    return None if there else f"{package} is not installed"


KERAS: Tuple[Execution, ...] = (
    KerasEager(),
    KerasFloat64(),
    *(KerasBackend(name) for name in BACKENDS),
)
