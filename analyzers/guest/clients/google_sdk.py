"""The installed Google SDKs, on a transport of ours; stand-ins' methods unless ``faithful``."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ..protocol import api_calls
from ..runtime.standins import Inert
from . import google
from .google import LANGUAGE_METHODS, Google, response_name
from .google_errors import answered
from .google_standins import GoogleStandins, drawn

LONG = frozenset(
    (
        "long_running_recognize",
        "batch_recognize",
        "async_batch_annotate_files",
        "async_batch_annotate_images",
    )
)
STREAMS = frozenset(("streaming_recognize",))


class GoogleTransport:
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
    """The protobuf message of an answer; raises ``NoAnswer`` where it does not fit."""
    from google.protobuf.json_format import ParseDict, ParseError

    try:
        return _type(kind)(**answer)
    except (TypeError, ValueError):
        try:
            return ParseDict(dict(answer), _type(kind)(), ignore_unknown_fields=True)
        except ParseError as error:
            reason = f"the answer does not fit {kind.__name__}: {error}"
            raise api_calls.session().refuse(reason) from error


@functools.cache
def _type(kind: Any) -> Any:
    return type(kind.pb(kind()))


def _done(message: Any) -> Any:
    from google.longrunning import operations_pb2

    operation = operations_pb2.Operation(name="operations/1", done=True)
    operation.response.Pack(message)
    return operation


_MODULE = re.compile(r"google\.cloud\.(\w+?)_(v\w+)$")
_FACTORIES = (
    "from_service_account_file",
    "from_service_account_json",
    "from_service_account_info",
)
LIGHT = (
    "annotate_image",
    "batch_annotate_images",
    *LANGUAGE_METHODS,
    *google.METHODS,
)


class GoogleSdk:
    """Patches the client classes of SDK modules as they are imported."""

    def __init__(self, google: Google, standins: GoogleStandins) -> None:
        self._google = google
        self._standins = standins

    def patch(self, module: ModuleType) -> None:
        """Patch ``google.cloud.SERVICE_VERSION``; raises where it is built otherwise."""
        match = _MODULE.match(module.__name__)
        if match is None:
            raise LookupError(module.__name__)
        package = ".".join(("google.cloud", *match.groups()))
        transport = GoogleTransport(self._google, module, package)
        for client in _clients(module):
            if client.__name__.endswith("AsyncClient"):
                self._patch_later(client, package)
            else:
                for kind in client.__mro__:
                    if kind is client or hasattr(kind, "get_transport_class"):
                        _open(kind, transport)
                _list_features_once(client)
                self._lighten(client, package)

    def warm(self, expected: Sequence[Any]) -> None:
        """Ask once about a picture: messages and methods are made when they are first used."""
        del expected
        module: Any = sys.modules.get("google.cloud.vision_v1")
        if module is not None:
            client = module.ImageAnnotatorClient()
            client.label_detection(image=module.Image(content=b"picture"))

    def _patch_later(self, client: Any, package: str) -> None:
        """Let an asynchronous client have the methods of the other one."""
        now = vars(sys.modules[client.__module__])[client.__name__.replace("Async", "")]

        def made(self: Any, *args: Any, **options: Any) -> None:
            self._client = now(*args, **options)

        for name, method in list(vars(client).items()):
            if hasattr(now, name) and not name.startswith("_") and inspect.isfunction(method):
                later = _later(method, getattr(now, name))
                setattr(client, name, later)
        client.__init__ = _checked(client.__init__, made)
        _factories(client)
        self._lighten(client, package)

    def _lighten(self, client: Any, package: str) -> None:
        for method in LIGHT:
            if hasattr(client, method):
                light = self._light(package, client.__name__, method)
                setattr(client, method, _either(getattr(client, method), light))

    def _light(self, package: str, client: str, method: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            made = self._standins.names(package)[client]()
            return getattr(made, method)(*args, **options)

        return call


def _clients(module: ModuleType) -> List[Any]:
    """The client classes of a module; raises ``LookupError`` without any of our kind."""
    named = [value for name, value in vars(module).items() if name.endswith("Client")]
    found = [kind for kind in named if hasattr(kind, "get_transport_class")]
    if not found:
        raise LookupError(f"{module.__name__} has no client that is known")
    return found


def _open(client: Any, transport: GoogleTransport) -> None:
    def made(self: Any, *_: Any, **__: Any) -> None:
        self._transport = transport
        self._api_endpoint = getattr(client, "DEFAULT_ENDPOINT", "")
        self._universe_domain = "googleapis.com"

    if "__init__" in vars(client):
        client.__init__ = _checked(client.__init__, made)
    client._validate_universe_domain = _valid
    _factories(client)


def _list_features_once(client: Any) -> None:
    """The vision client lists all features for every request, whether it needs them or not."""
    original = getattr(client, "_get_all_features", None)
    if original is not None:
        listed: Any = functools.cache(original)

        def features(self: Any) -> List[Any]:
            return [dict(each) for each in listed(type(self))]

        client._get_all_features = features


def _valid(client: Any) -> bool:
    del client
    return True


def _checked(original: Any, made: Callable[..., None]) -> Callable[..., None]:
    """A constructor that refuses the arguments that the SDK's would refuse."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **options: Any) -> None:
        if args or options:
            signature.bind(self, *args, **options)
        made(self, *args, **options)

    return initialise


def _factories(client: Any) -> None:
    def make(kind: Any, *_: Any, **__: Any) -> Any:
        return kind()

    for factory in _FACTORIES:
        setattr(client, factory, classmethod(make))


def _either(original: Callable[..., Any], light: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        if api_calls.session().faithful:
            return original(self, *args, **options)
        return light(*args, **options)

    return call


def _later(original: Callable[..., Any], now: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def call(self: Any, *args: Any, **options: Any) -> Any:
        if hasattr(options.get("requests"), "__aiter__"):
            options["requests"] = [part async for part in options["requests"]]
        result = now(self._client, *args, **options)
        if hasattr(result, "__next__"):
            return drawn(result)
        if isinstance(getattr(result, "_result_type", None), type):
            return _operation(result)
        return result

    return call


def _operation(result: Any) -> Any:
    from google.api_core.operation_async import AsyncOperation

    kinds: Tuple[Any, Any] = (result._result_type, result._metadata_type)
    return AsyncOperation(result.operation, _valid, _valid, kinds[0], metadata_type=kinds[1])
