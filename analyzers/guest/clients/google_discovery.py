"""Discovery clients: ``build("vision", "v1").images().annotate(body=…).execute()``."""

from __future__ import annotations

import functools
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from ..protocol import api_calls
from ..runtime.standins import Entered, Inert, InertModule
from .described_apis import failure
from .google import Google, response_name
from .google_errors import answered
from .google_sdk import LONG
from .schema_messages import snaked

ERRORS = "googleapiclient.errors"
_METHODS: Mapping[str, Mapping[str, str]] = {
    "vision": {
        "images.annotate": "batch_annotate_images",
        "images.asyncBatchAnnotate": "async_batch_annotate_images",
        "files.annotate": "batch_annotate_files",
        "files.asyncBatchAnnotate": "async_batch_annotate_files",
    },
    "language": {
        "documents.analyzeSentiment": "analyze_sentiment",
        "documents.analyzeEntities": "analyze_entities",
        "documents.analyzeEntitySentiment": "analyze_entity_sentiment",
        "documents.analyzeSyntax": "analyze_syntax",
        "documents.classifyText": "classify_text",
        "documents.moderateText": "moderate_text",
        "documents.annotateText": "annotate_text",
    },
    "speech": {
        "speech.recognize": "recognize",
        "speech.syncrecognize": "recognize",
        "speech.longrunningrecognize": "long_running_recognize",
        "speech.asyncrecognize": "long_running_recognize",
        "recognizers.recognize": "recognize",
    },
}
_WAYS = frozenset(("projects", "locations", "operations"))


class Discovery:
    """Makes the services that are ML APIs; others are inert."""

    def __init__(self, google: Google) -> None:
        self._google = google

    def patch(self, module: ModuleType) -> None:
        """Patch ``googleapiclient.discovery``, real or stand-in."""
        vars(module).update(build=self.build, build_from_document=self.build_from_document)

    def module(self, name: str) -> InertModule:
        """A stand-in for ``googleapiclient.discovery``."""
        module = InertModule(name)
        self.patch(module)
        return module

    def build(self, serviceName: Any = "", version: Any = "v1", *_: Any, **options: Any) -> Any:  # noqa: N803
        """A service by its name and version."""
        name = options.get("service", serviceName)
        if name not in _METHODS:
            return Inert(f"discovery.{name}")
        return Service(self._google, str(name), str(version or "v1"))

    def build_from_document(self, service: Any = "", *_: Any, **__: Any) -> Any:
        """A service by the text or dictionary that describes it."""
        try:
            known = json.loads(service) if isinstance(service, (str, bytes)) else service
            return self.build(known["name"], known.get("version"))
        except (ValueError, KeyError, TypeError, AttributeError):
            return Inert("discovery")


class Service(Entered):
    """One service: its resources and their methods are called by name."""

    def __init__(self, google: Google, name: str, version: str) -> None:
        self.google = google
        self.methods = _METHODS[name]
        self.package = f"google.cloud.{name}.{version}"
        self.names = {part for path in self.methods for part in path.split(".")} | _WAYS
        self.done: Dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(Resource(self, ()), name)

    def close(self) -> None:
        """Nothing: there is no connection."""

    def answer(self, method: str, body: Any) -> Any:
        """The JSON that answers a method."""
        answer = self.google.answer(self.package, method, snaked(body))
        names = [f"{self.package}.{response_name(method)}"]
        names.append(f"{self.package.rpartition('.')[0]}.v1.{response_name(method)}")
        schema = self.google.schema
        kind = next((name for name in names if name in schema.messages), names[0])
        found = dict(schema.rest(kind, answer))
        if method not in LONG:
            return found
        name = f"operations/{len(self.done) + 1}"
        self.done[name] = {"name": name, "done": True, "response": found}
        return self.done[name]


class Resource:
    """A resource of a service."""

    def __init__(self, service: Service, path: Tuple[str, ...]) -> None:
        self._service = service
        self._path = path

    def __getattr__(self, name: str) -> Callable[..., Any]:
        path = (*self._path, name)
        method = self._service.methods.get(".".join(path[-2:]))
        if method is not None:
            return functools.partial(_requested, functools.partial(self._service.answer, method))
        if path[-2:] == ("operations", "get"):
            return functools.partial(_Execution, self._service.done.get)
        if name not in self._service.names:
            raise AttributeError(f"'Resource' object has no attribute '{name}'")
        return functools.partial(_reached, Resource(self._service, path))


def _reached(resource: Resource, **_: Any) -> Resource:
    return resource


def _requested(answer: Callable[[Any], Any], body: Any = None, **_: Any) -> Any:
    return _Execution(answer, body)


class _Execution:
    def __init__(self, answer: Callable[[Any], Any], name: Any = None) -> None:
        self._answer = answer
        self._body = name

    def execute(self, *_: Any, **__: Any) -> Any:
        return answered(lambda: self._answer(self._body), _refusal, _failure)


def _failure(status: Optional[int]) -> BaseException:
    """Return what the client raises for a status, or for no answer in time."""
    if status is None:
        return TimeoutError("The read operation timed out")
    base = getattr(sys.modules.get(ERRORS), "HttpError", None)
    if not isinstance(base, type):
        return api_calls.ServiceFailure(ERRORS, status)
    content = json.dumps(failure(status, "google")).encode()
    made: Any = base
    error: BaseException = made(SimpleNamespace(status=status, reason="Refused"), content)
    return error


def _refusal(reason: str) -> BaseException:
    base = getattr(sys.modules.get(ERRORS), "HttpError", None)
    if not isinstance(base, type):
        return api_calls.NoAnswer(reason)
    content = json.dumps({"error": {"code": 403, "message": reason}}).encode()
    error: BaseException = _http_error(base)(
        SimpleNamespace(status=403, reason="Forbidden"), content
    )
    return error


@functools.cache
def _http_error(base: type) -> Any:
    return type("HttpError", (base, api_calls.NoAnswer), {"__module__": ERRORS})
