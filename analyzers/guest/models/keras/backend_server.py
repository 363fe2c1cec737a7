"""The child's side: ``main(reading, writing)`` under ``KERAS_BACKEND``, until its parent ends."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Tuple

from ...runtime.child_processes import discard_streams, end_with_parent, write_all
from ..model_types import Unsupported
from . import array_frames
from .array_frames import NotSerializable, deserialize, serialize
from .keras_calls import (
    deserialize_with_precision,
    of_inputs,
    of_precision,
    predict,
    replay_layers,
)
from .serialized_model import MOST_MODELS, SerializedModel, keras_error_summary

Ask = Mapping[str, Any]
Answer = Tuple[Dict[str, Any], List[Any]]
_GRACE = 5
_LIMITS = (NotImplementedError, Unsupported, NotSerializable, ImportError)
_LIMIT_WORDS = (
    *("is not supported with", "not supported by the", "not supported with the"),
    *("only supported with", "only available", "backend is not supported"),
)


def main(reading: int, writing: int) -> None:
    """Answer until nobody asks any more."""
    end_with_parent()
    discard_streams()
    serving = _Serving()
    try:
        write_all(writing, array_frames.pack_frame(serving.hello(), ()))
        while True:
            ask, arrays = array_frames.read_frame(reading)
            answer, found = serving.answered(ask, arrays)
            write_all(writing, array_frames.pack_frame(answer, found))
    except (EOFError, BrokenPipeError):
        os._exit(0)


class _Serving:
    def __init__(self) -> None:
        self._models: Dict[int, Tuple[Any, str]] = {}
        self._answers: Dict[str, Callable[[Ask, List[Any]], Answer]] = {
            "build": self._build,
            "call": self._call,
            "replay": self._replay,
        }

    def hello(self) -> Dict[str, Any]:
        try:
            import keras  # type: ignore[import-untyped]
        except Exception as error:
            return {"raised": type(error).__name__, "message": str(error), "limit": True}
        return {"backend": keras.backend.backend(), "version": keras.__version__}

    def answered(self, ask: Ask, arrays: List[Any]) -> Answer:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(ask["seconds"]) + _GRACE)
        try:
            return self._answers[ask["ask"]](ask, arrays)
        except Exception as error:
            limit = isinstance(error, _LIMITS) or any(w in str(error) for w in _LIMIT_WORDS)
            kind = f"{type(error).__module__}.{type(error).__qualname__}"
            name = kind[len("builtins.") :] if kind.startswith("builtins.") else kind
            return {"raised": name, "message": keras_error_summary(error), "limit": limit}, []
        finally:
            signal.alarm(0)

    def _build(self, ask: Ask, arrays: List[Any]) -> Answer:
        count, dtype = ask["weights"], ask["dtype"]
        weights, rest = tuple(arrays[:count]), arrays[count:]
        arguments = deserialize(ask["arguments"], rest)
        given = SerializedModel(ask["config"], tuple(ask["modules"]), weights)
        while len(self._models) >= MOST_MODELS:
            del self._models[next(iter(self._models))]
        self._models[ask["model"]] = deserialize_with_precision(given, arguments, dtype), dtype
        return {}, []

    def _call(self, ask: Ask, arrays: List[Any]) -> Answer:
        model, dtype = self._models[ask["model"]]
        arguments, keywords = of_inputs(deserialize(ask["arguments"], arrays), dtype)
        with of_precision(dtype):
            return _answer(predict(model, arguments, keywords))

    def _replay(self, ask: Ask, arrays: List[Any]) -> Answer:
        model, dtype = self._models[ask["model"]]
        steps = deserialize(ask["steps"], arrays)
        return _answer(replay_layers(model, steps, dtype))


def _answer(value: Any) -> Answer:
    arrays: List[Any] = []
    return {"value": serialize(value, arrays)}, arrays


def start(folders: List[str], folder: str, reading: int, writing: int) -> None:
    """Set the parent's paths and folder, then serve."""
    sys.path[:] = folders
    if Path(folder).is_dir():
        os.chdir(folder)
    main(reading, writing)
