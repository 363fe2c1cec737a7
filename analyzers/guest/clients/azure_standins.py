"""Stand-ins for Azure's SDKs, where they are not installed."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Dict, List, Mapping, Tuple

from ..protocol import api_calls
from ..runtime.standins import Entered, InertModule
from .azure import Azure
from .described_apis import FAULT, Entry, asked_each, source
from .response_record import UNKNOWN, Record, Subscriptable
from .schema_fitting import with_lists
from .schema_messages import camel

_OLD = ("ComputerVisionClient", "FaceClient")
_CLIENTS = (
    *("TextAnalyticsClient", "ImageAnalysisClient", "DocumentIntelligenceClient"),
    *("DocumentAnalysisClient", *_OLD),
)


class AzureError(Exception):
    """The base of what the SDKs raise."""


_ERRORS: Dict[str, type] = {"AzureError": AzureError}
AzureError.__module__ = "azure.core.exceptions"
_REFUSALS = {
    "azure.cognitiveservices.vision.computervision": "ComputerVisionErrorResponseException",
    "azure.cognitiveservices.vision.face": "APIErrorException",
}
"""Exceptions of packages built on ``msrest``, for a request that a service refuses."""
_REFUSED, _LATE = "HttpResponseError", "ServiceResponseTimeoutError"
_REFUSED_OLD, _LATE_OLD = "HttpOperationError", "ClientRequestError"


def _error(name: str) -> Any:
    """Return the class of an error: one, whichever module it is imported from."""
    if name not in _ERRORS:
        base = _error(_REFUSED_OLD) if name in _REFUSALS.values() else AzureError
        _ERRORS[name] = type(name, (base,), {"__module__": "azure.core.exceptions"})
    return _ERRORS[name]


def _failure(package: str, failed: api_calls.ServiceFailure) -> Exception:
    """Return what a package raises for a status, or for no answer in time."""
    refused = _REFUSALS.get(package, _REFUSED)
    late = _LATE if refused == _REFUSED else _LATE_OLD
    error: Exception = _error(late if failed.status is None else refused)(str(failed))
    error.__dict__["status_code"] = failed.status
    return error


class AzureStandins:
    """Makes the modules."""

    def __init__(self, azure: Azure) -> None:
        self._azure = azure

    def module(self, name: str) -> InertModule:
        """A stand-in for a module with clients or with what they are given."""
        return _Module(name, _azure=self._azure)

    def exceptions(self, name: str) -> InertModule:
        """A stand-in for ``azure.core.exceptions``."""
        return _Exceptions(name)


class _Exceptions(InertModule):
    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name) if name.startswith("_") else _error(name)


class _Module(InertModule):
    def __getattr__(self, name: str) -> Any:
        if name in _CLIENTS:
            package = self.__name__.replace(".aio", "")
            azure, awaited = self.__dict__["_azure"], self.__name__.endswith(".aio")
            return lambda *_, **__: _Path(azure, package, (name,), awaited)
        if name.endswith(("Input", "Credential", "Credentials")):
            return _Given
        if name.endswith(("Features", "FeatureTypes", "AttributeType")):
            return _Names()
        if name.endswith(("Error", "Exception")):
            return _error(name)
        return super().__getattr__(name)


class _Given:
    def __init__(self, *args: Any, **parts: Any) -> None:
        del args
        self.__dict__.update(parts)


class _Names:
    """An enum whose values are its names in camel case: ``DENSE_CAPTIONS``."""

    def __getattr__(self, name: str) -> str:
        return camel(name.lower())


class _Path(Entered):
    """A client or a group of its operations; called, it is the operation of that name."""

    def __init__(self, azure: Azure, package: str, names: Tuple[str, ...], awaited: bool) -> None:
        self._azure = azure
        self._package = package
        self._names = names
        self._awaited = awaited

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Path(self._azure, self._package, (*self._names, name), self._awaited)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self._names[-1] == "close":
            return asyncio.sleep(0) if self._awaited else None
        if self._awaited:
            return _later(self._answer, args, options)
        return self._answer(args, options)

    def _answer(self, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
        try:
            return self._asked(args, options)
        except api_calls.ServiceFailure as failed:
            raise _failure(self._package, failed) from None

    def _asked(self, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
        operation = ".".join(self._names)
        entry = self._azure.described.method(f"{self._package}.{operation}")
        if entry is None:
            name = f"azure.{operation}"
            message = f"Cannot connect to {name}: no described ML API"
            raise api_calls.unanswered(name, _error("ServiceRequestError")(message))
        if str(entry["provider"]) == "azure.document":
            return _analysed(self._azure, entry, args, options, self._awaited)
        if asked_each(entry):
            documents = args[0] if args else options.pop("documents", ())
            return _documents(self._azure, entry, documents, options)
        return _picture(self._azure, entry, args, options)


async def _later(answer: Callable[..., Any], *given: Any) -> Any:
    await asyncio.sleep(0)
    return answer(*given)


def _documents(
    azure: Azure, entry: Entry, documents: Any, options: Mapping[str, Any]
) -> List[Record]:
    schema, message = azure.described.schema, str(entry["schema"])
    made: List[Record] = []
    for number, document in enumerate(documents):
        answer = azure.document(entry, document, options)
        fault = FAULT in answer
        shown = {"error": answer[FAULT]} if fault else answer
        record = Subscriptable(schema, UNKNOWN if fault else message, shown)
        given = document.get("id") if isinstance(document, dict) else getattr(document, "id", None)
        record.__dict__.update(id=str(number if given is None else given), is_error=fault)
        made.append(record)
    return made


class _Poller:
    """An analysis that is over."""

    def __init__(self, result: Any, awaited: bool) -> None:
        self._result = result
        self._awaited = awaited

    def result(self, *_: Any, **__: Any) -> Any:
        return asyncio.sleep(0, self._result) if self._awaited else self._result

    def done(self) -> bool:
        return True

    def status(self) -> str:
        return "succeeded"


_DOCUMENTS = ("body", "analyze_request", "document", "document_url")


def _analysed(
    azure: Azure, entry: Entry, args: Tuple[Any, ...], options: Mapping[str, Any], awaited: bool
) -> Any:
    model = str(args[0] if args else options.get("model_id"))
    named = [options[name] for name in _DOCUMENTS if options.get(name) is not None]
    given: Any = next(iter([*named, *args[1:]]), None)
    for name in ("url_source", "bytes_source"):
        given = getattr(given, name, None) or given
    content, _, uri = source(given, "image")
    asked = api_calls.ApiRequest(str(entry["name"]), content, None, uri, {"model": model})
    answer = azure.described.ask(entry, asked)
    schema, message = azure.described.schema, str(entry["schema"])
    return _Poller(Subscriptable(schema, message, with_lists(schema, message, answer)), awaited)


_PICTURES = ("image_data", "image_url", "image", "url")
_OTHERS = ("visual_features", "raw", "custom_headers", "callback")


def _picture(azure: Azure, entry: Entry, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    given = dict(options)
    named = [given.pop(name) for name in _PICTURES if name in given]
    picture, *rest = [*named, *args] or [None]
    features = [str(each) for each in given.get("visual_features") or (rest[0] if rest else ())]
    asked = {key: value for key, value in given.items() if key not in _OTHERS}
    schema, message = azure.described.schema, str(entry["schema"])
    answer = azure.seen(entry, picture, features, asked)
    if isinstance(answer, list):
        return [Record(schema, UNKNOWN, each) for each in answer]
    if message in schema.messages:
        return Subscriptable(schema, message, with_lists(schema, message, answer))
    return Record(schema, UNKNOWN, answer)
