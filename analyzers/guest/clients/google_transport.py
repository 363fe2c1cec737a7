"""What stands below the installed SDKs' clients, where gRPC or REST would be.

The clients' own code checks and converts requests; what it hands on is
answered here, and goes back as the transport would have given it.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Mapping

from .. import calls
from ..standins import Inert
from .google import Google, response_name
from .google_errors import answered

LONG = frozenset(
    (
        "long_running_recognize",
        "batch_recognize",
        "async_batch_annotate_files",
        "async_batch_annotate_images",
    )
)
STREAMS = frozenset(("streaming_recognize",))


class Transport:
    """The transport of every client of one SDK module: each attribute is a method's."""

    _host = host = "localhost"
    _credentials = Inert("credentials")
    operations_client = Inert("operations")
    kind = "grpc"

    def __init__(self, google: Google, module: ModuleType, package: str) -> None:
        self._google = google
        self._module = module
        self._package = package
        self._made: Dict[str, Callable[..., Any]] = {}
        self._wrapped_methods = _Same()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._made:
            self._made[name] = self._method(name)
        return self._made[name]

    def close(self) -> Any:
        """Nothing, and it may be awaited: there is no channel."""
        return Inert("closed")

    def _method(self, method: str) -> Callable[..., Any]:
        if method in STREAMS:
            return functools.partial(self._stream, method)

        def call(request: Any, **_: Any) -> Any:
            answer = self._ask(method, as_protobuf(request))
            kind = getattr(self._module, response_name(method), None)
            if kind is None:
                return Inert(f"{self._package}.{method}()")
            message = fitted(kind, answer)
            return _done(message) if method in LONG else kind.wrap(message)

        return call

    def _stream(self, method: str, requests: Any, **_: Any) -> Iterator[Any]:
        kind = getattr(self._module, response_name(method).replace("Response", "Request"))
        parts = (as_protobuf(kind(part)) for part in requests)
        response = getattr(self._module, response_name(method))
        yield response.wrap(fitted(response, self._ask(method, parts)))

    def _ask(self, method: str, request: Any) -> Mapping[str, Any]:
        return answered(lambda: self._google.answer(self._package, method, request))


class _Same(Dict[Any, Any]):
    """The wrapped method of a method is itself: nothing is ever tried again."""

    def __missing__(self, method: Any) -> Any:
        return method


def as_protobuf(request: Any) -> Any:
    """The protobuf message inside a request."""
    return getattr(request, "_pb", request)


def fitted(kind: Any, answer: Mapping[str, Any]) -> Any:
    """The protobuf message of an answer; raises ``Refused`` where it does not fit."""
    from google.protobuf.json_format import ParseDict, ParseError

    try:
        return _type(kind)(**answer)
    except (TypeError, ValueError):
        try:
            return ParseDict(dict(answer), _type(kind)(), ignore_unknown_fields=True)
        except ParseError as error:
            reason = f"the answer does not fit {kind.__name__}: {error}"
            raise calls.session().refuse(reason) from error


@functools.cache
def _type(kind: Any) -> Any:
    return type(kind.pb(kind()))


def _done(message: Any) -> Any:
    """A long-running operation that is over."""
    from google.longrunning import operations_pb2

    operation = operations_pb2.Operation(name="operations/1", done=True)
    operation.response.Pack(message)
    return operation
