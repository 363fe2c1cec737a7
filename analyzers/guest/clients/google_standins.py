"""Stand-ins for Google's SDKs, of all three generations, made from the schema."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any, Callable, Dict

from ..message import Message, in_json
from ..messages import Schema, nested
from ..spelling import read
from ..standins import Inert, InertModule
from .google import LANGUAGE, LANGUAGE_METHODS, VISION, Google, response_name
from .google_first import FirstLanguage, FirstVision
from .standin_client import Client

MODULES = r"google\.cloud\.(vision|language)(?:_(v\w+))?(\.\w+)*"
_SPACES = ("types", "enums", "gapic", "services", "client")


class GoogleModule(InertModule):
    """A module of the SDK: its names are the schema's, and the clients."""

    def __init__(self, name: str, names: Dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__["_names"] = names

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", {})
        if name in names:
            return names[name]
        if name in _SPACES:
            return importlib.import_module(f"{self.__name__}.{name}")
        return super().__getattr__(name)


class Standins:
    """Makes the modules; ``plain`` ones have bare integers for enums."""

    def __init__(self, google: Google, schema: Schema) -> None:
        self._google = google
        self._schema = schema
        self._names: Dict[str, Dict[str, Any]] = {}

    def module(self, name: str) -> GoogleModule:
        """The stand-in for a module whose name fits ``MODULES``."""
        match = re.fullmatch(MODULES, name)
        service, version = match.groups()[:2] if match else ("vision", None)
        package = f"google.cloud.{service}.{version or 'v1'}"
        if not any(full.startswith(package + ".") for full in self._schema.messages):
            package = VISION if service == "vision" else LANGUAGE
        if package not in self._names:
            make = self._vision if service == "vision" else self._language
            self._names[package] = make(package)
        return GoogleModule(name, self._names[package])

    def _classes(self, package: str) -> Dict[str, Any]:
        pairs = nested(self._schema, package)
        return {short: self._schema.kind(full) for short, full in pairs}

    def _vision(self, package: str) -> Dict[str, Any]:
        names = self._classes(package)
        shared = {"google": self._google, "schema": self._schema, "package": package}
        features = self._schema.enum(f"{package}.Feature.Type")
        helpers = {feature.name.lower(): _detection(feature.name) for feature in features}
        names["ImageAnnotatorClient"] = type(
            "ImageAnnotatorClient", (_Vision,), {**shared, **helpers}
        )
        names["ImageAnnotatorAsyncClient"] = type(
            "ImageAnnotatorAsyncClient", (_AsyncVision,), shared
        )
        names["Client"] = type("Client", (FirstVision,), shared)
        return names

    def _language(self, package: str) -> Dict[str, Any]:
        names = self._classes(package)
        shared = {"google": self._google, "schema": self._schema, "package": package}
        methods = {method: _analysis(method) for method in LANGUAGE_METHODS}
        names["LanguageServiceClient"] = type(
            "LanguageServiceClient", (Client,), {**shared, **methods}
        )
        later = {method: _awaited(analyze) for method, analyze in methods.items()}
        names["LanguageServiceAsyncClient"] = type(
            "LanguageServiceAsyncClient", (Client,), {**shared, **later}
        )
        names["Client"] = type("Client", (FirstLanguage,), shared)
        return names


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


# ------------------------------------------------------------------ vision


class _Vision(Client):
    def annotate_image(self, request: Any, **_: Any) -> Any:
        return self.message("AnnotateImageResponse", self.google.annotate(request))

    def batch_annotate_images(self, request: Any = None, requests: Any = None, **_: Any) -> Any:
        if isinstance(request, (list, tuple)):
            requests = request
        items = requests if requests is not None else read(request, "requests")
        answers = [self.google.annotate(item) for item in items]
        return self.message("BatchAnnotateImagesResponse", {"responses": answers})


class _AsyncVision(_Vision):
    async def annotate_image(self, request: Any, **_: Any) -> Any:
        return super().annotate_image(request)

    async def batch_annotate_images(
        self, request: Any = None, requests: Any = None, **_: Any
    ) -> Any:
        return super().batch_annotate_images(request, requests)


def _detection(feature: str) -> Callable[..., Any]:
    def detect(self: Any, image: Any, max_results: Any = None, **options: Any) -> Any:
        wanted = {"type": feature, "max_results": max_results}
        context = options.get("image_context")
        return self.annotate_image({"image": image, "features": [wanted], "image_context": context})

    return detect


# ---------------------------------------------------------------- language


def _analysis(method: str) -> Callable[..., Any]:
    def analyze(self: Any, request: Any = None, *_: Any, document: Any = None, **__: Any) -> Any:
        if document is None:
            inner = read(request, "document")
            document = request if inner is None else inner
        answer = self.google.analyze(method, {"document": document})
        return self.message(response_name(method), answer)

    return analyze


def _awaited(analyze: Callable[..., Any]) -> Callable[..., Any]:
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        return analyze(*args, **kwargs)

    return awaited
