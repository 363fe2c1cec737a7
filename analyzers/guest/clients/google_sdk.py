"""The installed Google SDKs (proto-plus generation), with their requests caught."""

from __future__ import annotations

import functools
import re
from types import ModuleType
from typing import Any, Callable, Mapping, Optional

from .. import calls
from ..spelling import read
from ..standins import Inert
from .google import LANGUAGE_METHODS, Google, response_name

_BETA = re.compile(r"(?<=vision\.v1)p\d+beta\d+")
_FACTORIES = (
    "from_service_account_file",
    "from_service_account_json",
    "from_service_account_info",
)


class Sdk:
    """Patches the client classes of the SDK modules as they are imported."""

    def __init__(self, google: Google) -> None:
        self._google = google

    def vision(self, module: ModuleType) -> None:
        """Patch ``google.cloud.vision_v1`` or one of its betas."""
        for name in ("ImageAnnotatorClient", "ImageAnnotatorAsyncClient"):
            client = getattr(module, name, None)
            if client is not None:
                _open(client)
                client.batch_annotate_images = _as(self._batch(module), name)
                single = getattr(client, "annotate_image", None)
                if single is not None:
                    client.annotate_image = self._single(module, single)
                _refuse(client, ("batch_annotate_files", "async_batch_annotate_images"))
                _refuse(client, ("async_batch_annotate_files",))

    def language(self, module: ModuleType) -> None:
        """Patch ``google.cloud.language_v1`` or another version."""
        for name in ("LanguageServiceClient", "LanguageServiceAsyncClient"):
            client = getattr(module, name, None)
            for method in LANGUAGE_METHODS if client is not None else ():
                if hasattr(client, method):
                    setattr(client, method, _as(self._method(module, method), name))
            if client is not None:
                _open(client)

    def _batch(self, module: Any) -> Callable[..., Any]:
        def batch_annotate_images(
            client: Any, request: Any = None, *, requests: Any = None, **_: Any
        ) -> Any:
            del client
            if requests is not None:
                request = {"requests": requests}
            request = _checked(module.BatchAnnotateImagesRequest, request)
            answers = [self._google.annotate(item) for item in read(request, "requests")]
            return self._answer(module.BatchAnnotateImagesResponse, {"responses": answers})

        return batch_annotate_images

    def _single(self, module: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def annotate_image(client: Any, request: Any, **options: Any) -> Any:
            image = read(request, "image")
            if hasattr(image, "read") or not read(request, "features"):
                return original(client, request, **options)
            if not read(image, "source"):
                request = _checked(module.AnnotateImageRequest, request)
            answer = self._google.annotate(request)
            return self._answer(module.AnnotateImageResponse, answer)

        return annotate_image

    def _method(self, module: Any, method: str) -> Callable[..., Any]:
        response = response_name(method)
        request_type = getattr(module, response.replace("Response", "Request"))
        response_type = getattr(module, response)

        def analyze(client: Any, request: Any = None, *, document: Any = None, **_: Any) -> Any:
            del client
            request = {"document": document} if request is None else request
            request = _checked(request_type, request)
            return self._answer(response_type, self._google.analyze(method, request))

        return analyze

    def _answer(self, kind: Any, answer: Mapping[str, Any]) -> Any:
        """The SDK's own object, or a light one with the leaves as they are."""
        if calls.session().faithful:
            return kind.wrap(_message(kind, answer))
        return self._google.schema.message(_full_name(kind)).of(answer)


def _checked(kind: Any, request: Any) -> Any:
    """The request as protobuf sees it; raises what the SDK raises.

    A light session leaves it as it is, so that what it holds may be symbolic.
    """
    if not calls.session().faithful:
        return request
    return kind.pb(request if isinstance(request, kind) else kind(request))


def _message(kind: Any, answer: Mapping[str, Any]) -> Any:
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


@functools.cache
def _full_name(kind: Any) -> str:
    return _BETA.sub("", str(_type(kind).DESCRIPTOR.full_name))


def _open(client: Any) -> None:
    """Let a client be made without credentials or network."""

    def made(self: Any, *_: Any, **__: Any) -> None:
        self._transport = Inert("transport")
        self._client = Inert("client")

    def make(kind: Any, *_: Any, **__: Any) -> Any:
        return kind()

    client.__init__ = made
    for factory in _FACTORIES:
        setattr(client, factory, classmethod(make))


def _as(function: Callable[..., Any], client: str) -> Callable[..., Any]:
    if "Async" not in client:
        return function

    async def asynchronous(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return asynchronous


def _refuse(client: Any, methods: Any) -> None:
    for method in methods:
        if hasattr(client, method):
            setattr(client, method, _refusing(method))


def _refusing(method: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        return calls.ask(calls.Request(f"google.vision.{method}"))

    return refuse


def patch_auth(module: ModuleType) -> None:
    """Let ``google.auth`` find credentials."""

    def default(*_: Any, **__: Any) -> Any:
        return Inert("credentials"), "project"

    vars(module)["default"] = default


def patch_service_account(module: ModuleType) -> None:
    """Let service accounts be read from files that are not here."""
    credentials: Optional[Any] = getattr(module, "Credentials", None)
    for factory in ("from_service_account_file", "from_service_account_info"):
        if credentials is not None:
            setattr(credentials, factory, staticmethod(_credentials))


def _credentials(*_: Any, **__: Any) -> Any:
    return Inert("credentials")


def patch_clients(module: ModuleType) -> None:
    """Make the clients of a cloud service that is no ML API inert."""
    for name in list(vars(module)):
        if name.endswith("Client"):
            setattr(module, name, Inert(f"{module.__name__}.{name}"))
