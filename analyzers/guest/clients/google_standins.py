"""Stand-ins for Google's SDKs, of all three generations, made from the schema."""

from __future__ import annotations

import importlib
import itertools
import json
import re
from typing import Any, Callable, Dict, Iterator, Mapping, Sequence

from ..runtime.standins import Inert, InertModule, awaited
from .google import LANGUAGE_METHODS, Google, response_name
from .google_first_generation import Client, FirstLanguage, FirstSpeech, FirstVision
from .schema_messages import Message, Schema, in_json, nested, read

_Shared = Mapping[str, Any]


def vision_clients(shared: _Shared) -> Dict[str, Any]:
    """The clients of a vision module; ``shared`` are the attributes of :class:`Client`."""
    features = shared["schema"].enum(f"{shared['package']}.Feature.Type")
    helpers = {feature.name.lower(): _detection(feature.name) for feature in features if feature}
    own = {**shared, "features": [{"type": feature} for feature in features if feature]}
    public = {name: method for name, method in vars(_Vision).items() if not name.startswith("_")}
    later = {name: awaited(method) for name, method in public.items()}
    return {
        "ImageAnnotatorClient": type("ImageAnnotatorClient", (_Vision,), {**own, **helpers}),
        "ImageAnnotatorAsyncClient": type("ImageAnnotatorAsyncClient", (Client,), {**own, **later}),
        "Client": type("Client", (FirstVision,), dict(shared)),
    }


def language_clients(shared: _Shared) -> Dict[str, Any]:
    """The clients of a language module."""
    methods = {method: _analysis(method) for method in LANGUAGE_METHODS}
    later = {method: awaited(analyze) for method, analyze in methods.items()}
    return {
        "LanguageServiceClient": type("LanguageServiceClient", (Client,), {**shared, **methods}),
        "LanguageServiceAsyncClient": type(
            "LanguageServiceAsyncClient", (Client,), {**shared, **later}
        ),
        "Client": type("Client", (FirstLanguage,), dict(shared)),
    }


def whole(request: Any, rest: Sequence[Any], fields: Mapping[str, Any], names: Any) -> Any:
    """Return a request from itself or its fields, by name or in the order of ``names``."""
    if request is not None and all(read(request, name) is None for name in names):
        return {**dict(zip(names, (request, *rest))), **fields}
    return fields if request is None else request


def _refused(method: str) -> Callable[..., Any]:
    def refuse(self: Any, *_: Any, **__: Any) -> Any:
        return self.message("BatchAnnotateImagesResponse", self.answer(method, None))

    return refuse


class _Vision(Client):
    features: Any

    def annotate_image(self, request: Any, **_: Any) -> Any:
        if not read(request, "features"):
            image, context = read(request, "image"), read(request, "image_context")
            request = {"image": image, "image_context": context, "features": self.features}
        answer = self.answer("batch_annotate_images", {"requests": [request]})
        return self.message("AnnotateImageResponse", answer["responses"][0])

    def batch_annotate_images(self, request: Any = None, *rest: Any, **fields: Any) -> Any:
        if isinstance(request, (list, tuple)):
            request = {"requests": request}
        request = whole(request, rest, fields, ("requests",))
        answer = self.answer("batch_annotate_images", request)
        return self.message("BatchAnnotateImagesResponse", answer)

    batch_annotate_files = _refused("batch_annotate_files")
    async_batch_annotate_files = _refused("async_batch_annotate_files")
    async_batch_annotate_images = _refused("async_batch_annotate_images")


def _detection(feature: str) -> Callable[..., Any]:
    def detect(self: Any, image: Any, max_results: Any = None, **options: Any) -> Any:
        wanted = {"type": feature, "max_results": max_results}
        context = options.get("image_context")
        return self.annotate_image({"image": image, "features": [wanted], "image_context": context})

    return detect


def _analysis(method: str) -> Callable[..., Any]:
    names = ("document", "features") if method == "annotate_text" else ("document",)

    def analyze(self: Any, request: Any = None, *rest: Any, **fields: Any) -> Any:
        answer = self.answer(method, whole(request, rest, fields, names))
        return self.message(response_name(method), answer)

    return analyze


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
        return drawn(self._stream(requests))


def _names(request: Any) -> Any:
    """The fields of a request: only those of old generations are given by position."""
    known = request if isinstance(request, Mapping) else dir(request)
    return _OTHERS if any(name in known for name in _OTHERS) else _FIELDS


async def drawn(results: Iterator[Any]) -> Any:
    """Yield the results."""
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
        """Return that it is over."""
        return True

    def exception(self, *_: Any, **__: Any) -> None:
        """Nothing: it went well."""

    def cancel(self) -> bool:
        """Return that it is too late."""
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


MODULES = r"google\.cloud\.(vision|language|speech)(?:_(v\w+))?(\.\w+)*"
_SPACES = ("types", "enums", "gapic", "services", "client")


class GoogleModule(InertModule):
    """A module of the SDK: its names are the schema's, and the clients."""

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", {})
        if name in names:
            return names[name]
        if name in _SPACES:
            return importlib.import_module(f"{self.__name__}.{name}")
        return super().__getattr__(name)


class GoogleStandins:
    """Makes the modules; ``plain`` ones have bare integers for enums."""

    def __init__(self, google: Google, schema: Schema) -> None:
        self._google = google
        self._schema = schema
        self._names: Dict[str, Dict[str, Any]] = {}

    def module(self, name: str) -> GoogleModule:
        """The stand-in for a module whose name fits ``MODULES``."""
        match = re.fullmatch(MODULES, name)
        service, version = match.groups()[:2] if match else ("vision", None)
        return GoogleModule(name, _names=self.names(f"google.cloud.{service}.{version or 'v1'}"))

    def names(self, package: str) -> Dict[str, Any]:
        """The messages, enums and clients of a protobuf package, or of its version ``v1``."""
        if not any(full.startswith(package + ".") for full in self._schema.messages):
            package = package.rpartition(".")[0] + ".v1"
        if package not in self._names:
            pairs = nested(self._schema, package)
            names = {short: self._schema.kind(full) for short, full in pairs}
            shared = {"google": self._google, "schema": self._schema, "package": package}
            names.update(_CLIENTS[package.split(".")[2]](shared))
            self._names[package] = names
        return self._names[package]


_CLIENTS = {"vision": vision_clients, "language": language_clients, "speech": speech_clients}


def patch_json_format(module: Any) -> None:
    """Let ``google.protobuf.json_format`` know the stand-ins' messages."""
    original = vars(module).get("MessageToDict")

    def to_dict(message: Any, *args: Any, **options: Any) -> Any:
        if isinstance(message, Message):
            preserving = bool(options.get("preserving_proto_field_name"))
            return in_json(message, preserving=preserving)
        return Inert("message") if original is None else original(message, *args, **options)

    def to_json(message: Any, *args: Any, **options: Any) -> str:
        indent = options.pop("indent", 2)
        return json.dumps(to_dict(message, *args, **options), indent=indent)

    vars(module).update(MessageToDict=to_dict, MessageToJson=to_json)


def json_format_module(name: str) -> InertModule:
    """A stand-in for ``google.protobuf.json_format``."""
    module = InertModule(name)
    patch_json_format(module)
    return module
