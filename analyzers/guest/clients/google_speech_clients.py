"""Stand-ins for the speech clients, of every generation's spelling."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, Mapping

from .google import response_name
from .google_clients import awaited, whole
from .google_first import FirstSpeech
from .standin_client import Client

_FIELDS = ("config", "audio")
_OTHERS = ("content", "uri", "recognizer", "files")


def speech_clients(shared: Mapping[str, Any]) -> Dict[str, Any]:
    """The clients of a speech module; ``shared`` are the attributes of :class:`Client`."""
    return {
        "SpeechClient": type("SpeechClient", (_Speech,), dict(shared)),
        "SpeechAsyncClient": type("SpeechAsyncClient", (_LaterSpeech,), dict(shared)),
        "Client": type("Client", (FirstSpeech,), dict(shared)),
    }


class _Speech(Client):
    def recognize(self, request: Any = None, *rest: Any, **fields: Any) -> Any:
        return self._heard("recognize", whole(request, rest, fields, _names(request)))

    def long_running_recognize(self, request: Any = None, *rest: Any, **fields: Any) -> Any:
        request = whole(request, rest, fields, _names(request))
        return Operation(self._heard("long_running_recognize", request))

    def batch_recognize(self, request: Any = None, **fields: Any) -> Any:
        return Operation(self._heard("batch_recognize", fields if request is None else request))

    def streaming_recognize(self, config: Any = None, requests: Any = None, **_: Any) -> Any:
        if requests is None:
            return self._stream(config)
        start = [] if config is None else [{"streaming_config": config}]
        return self._stream(itertools.chain(start, requests))

    def _stream(self, requests: Any) -> Iterator[Any]:
        yield self._heard("streaming_recognize", requests)

    def _heard(self, method: str, request: Any) -> Any:
        return self.message(response_name(method), self.answer(method, request))


class _LaterSpeech(_Speech):
    recognize = awaited(_Speech.recognize)

    async def long_running_recognize(self, *args: Any, **fields: Any) -> Any:
        return LaterOperation(super().long_running_recognize(*args, **fields).result())

    async def batch_recognize(self, *args: Any, **fields: Any) -> Any:
        return LaterOperation(super().batch_recognize(*args, **fields).result())

    async def streaming_recognize(self, config: Any = None, requests: Any = None, **_: Any) -> Any:
        requests = config if requests is None else requests
        if hasattr(requests, "__aiter__"):
            requests = [part async for part in requests]
        return _later(self._stream(requests))


def _names(request: Any) -> Any:
    """The fields of a request: only those of old generations are given by position."""
    known = request if isinstance(request, Mapping) else dir(request)
    return _OTHERS if any(name in known for name in _OTHERS) else _FIELDS


async def _later(results: Iterator[Any]) -> Any:
    for result in results:
        yield result


class Operation:
    """A long-running operation that is over."""

    metadata: Any = None
    cancelled = running = staticmethod(lambda: False)

    def __init__(self, response: Any) -> None:
        self._response = response

    def result(self, *_: Any, **__: Any) -> Any:
        """The response."""
        return self._response

    def done(self, *_: Any, **__: Any) -> bool:
        """That it is over."""
        return True

    def exception(self, *_: Any, **__: Any) -> None:
        """Nothing: it went well."""

    def cancel(self) -> bool:
        """That it is too late."""
        return False

    def add_done_callback(self, function: Any) -> None:
        """Call a function with this operation, as it is over."""
        function(self)


class LaterOperation(Operation):
    """The operation of an asynchronous client."""

    result = awaited(Operation.result)
    done = awaited(Operation.done)
    exception = awaited(Operation.exception)
    cancel = awaited(Operation.cancel)
