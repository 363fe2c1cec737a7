"""Requests of Azure's clients, whichever client it is, and the answers they get."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from http.client import responses
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence
from urllib.parse import parse_qsl, urlsplit

from ..protocol import api_calls
from ..runtime.standins import awaited
from .conversations import said
from .described_apis import (
    DELIVERY,
    ELEMENTS,
    FAULT,
    DescribedApis,
    Entry,
    decoded,
    failure,
    plain,
    source,
    taken_delivery,
)
from .openai import OpenAI
from .schema_fitting import complete, on_the_wire
from .schema_messages import camel, snake

_KINDS = {
    "SentimentAnalysis": "analyze_sentiment",
    "EntityRecognition": "recognize_entities",
    "EntityLinking": "recognize_linked_entities",
    "PiiEntityRecognition": "recognize_pii_entities",
    "KeyPhraseExtraction": "extract_key_phrases",
    "LanguageDetection": "detect_language",
}
_PATHS = {
    "/sentiment": "analyze_sentiment",
    "/entities/recognition/general": "recognize_entities",
    "/entities/linking": "recognize_linked_entities",
    "/entities/recognition/pii": "recognize_pii_entities",
    "/keyphrases": "extract_key_phrases",
    "/languages": "detect_language",
}
_ANALYSED = re.compile(r"/documentmodels/([^/:]+):analyze$", re.IGNORECASE)
_RESULT = re.compile(r"/analyzeresults/([\w-]+)$", re.IGNORECASE)
_ANALYSIS = ("pages", "locale", "features")
_DEFAULTS = ("en", "us")
_ABSENT = ("id", "kind", "statistics", "redacted_text", "is_error")
_VERSION = "assayer"


class Azure:
    """Answers the requests that the catalogue describes."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described
        self._analysed: Dict[str, Dict[str, Any]] = {}

    def wire(self, url: str, body: Any) -> Optional[Any]:
        """The JSON that answers a request, or ``None`` where no described API does."""
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        if parts.path.endswith("/imageanalysis:analyze"):
            return self._picture(query, body)
        if "/documentmodels/" in parts.path.lower():
            return self._document(url, query, body)
        if not isinstance(body, Mapping):
            return None
        if parts.path.endswith("/:analyze-text"):
            return self._task(body)
        path = parts.path.lower()
        name = next((name for end, name in _PATHS.items() if path.endswith(end)), None)
        entry = self.described.named(f"azure.language.{name}")
        if entry is None or "/text/analytics/" not in path:
            return None
        options = {k: v for k, v in query.items() if k != "api-version"}
        return self._documents(entry, body.get("documents") or [], options)

    # ----------------------------------------------------------- documents

    def _document(self, url: str, query: Mapping[str, str], body: Any) -> Optional[Any]:
        """The start of an analysis, or its result: both by their addresses."""
        entry = self.described.named("azure.document.analyze")
        path, _, asked = url.partition("?")
        begun, finished = _ANALYSED.search(path), _RESULT.search(path)
        if entry is None or (begun is None and finished is None):
            return None
        if finished is not None:
            return self._analysed.get(finished.group(1))
        given: Any = body
        if isinstance(body, Mapping):
            given = body.get("urlSource") or decoded(str(body.get("base64Source") or ""))
        options = {key: value for key, value in query.items() if key in _ANALYSIS}
        model = str(begun.group(1) if begun is not None else "")
        content, _, uri = source(given, "image")
        request = api_calls.ApiRequest(
            str(entry["name"]), content, None, uri, plain({"model": model, **options})
        )
        answer = {**self.described.ask(entry, request), "model_id": model}
        number = f"00000000-0000-0000-0000-{len(self._analysed):012}"
        self._analysed[number] = {
            "status": "succeeded",
            "createdDateTime": "2026-03-02T09:30:00Z",
            "lastUpdatedDateTime": "2026-03-02T09:30:01Z",
            "analyzeResult": on_the_wire(self.described.schema, str(entry["schema"]), answer),
        }
        where = f"{path[: path.rindex(':')]}/analyzeResults/{number}?{asked}"
        headers = {"Operation-Location": where, "Retry-After": "0"}
        return {DELIVERY: {"status": 202, "headers": headers}}

    # ------------------------------------------------------------ language

    def _task(self, body: Mapping[str, Any]) -> Optional[Any]:
        kind = str(body.get("kind"))
        entry = self.described.named(f"azure.language.{_KINDS.get(kind)}")
        if entry is None:
            return None
        documents = (body.get("analysisInput") or {}).get("documents") or []
        options = body.get("parameters") or {}
        return {"kind": f"{kind}Results", "results": self._documents(entry, documents, options)}

    def _documents(self, entry: Entry, documents: Sequence[Any], options: Any) -> Dict[str, Any]:
        schema, message = self.described.schema, str(entry["schema"])
        answered: List[Any] = []
        errors: List[Any] = []
        for number, document in enumerate(documents):
            answer = self.document(entry, document, options)
            name = str(document.get("id", number))
            if FAULT in answer:
                errors.append({"id": name, "error": answer[FAULT]})
            else:
                answered.append({**on_the_wire(schema, message, answer), "id": name})
        return {"documents": answered, "errors": errors, "modelVersion": _VERSION}

    def document(self, entry: Entry, document: Any, options: Any) -> Dict[str, Any]:
        """The canonical answer about one document; raises ``NoAnswer``."""
        answer = self.described.ask(entry, semantic(entry, document, options))
        if FAULT in answer:
            return answer
        filled = complete(self.described.schema, str(entry["schema"]), answer)
        left_out = [key for key in _ABSENT if key not in answer]
        return {key: value for key, value in filled.items() if key not in left_out}

    # -------------------------------------------------------------- vision

    def _picture(self, query: Mapping[str, str], body: Any) -> Optional[Any]:
        entry = self.described.named("azure.vision.analyze")
        if entry is None:
            return None
        picture = body.get("url") if isinstance(body, Mapping) else body
        features = [part for part in query.get("features", "").split(",") if part]
        options = {k: v for k, v in query.items() if k not in ("features", "api-version")}
        answer = self.picture(entry, picture, features, options)
        return on_the_wire(self.described.schema, str(entry["schema"]), answer)

    def older(self, entry: Entry, url: str, body: Any) -> Any:
        """The JSON that answers a request of the services before image analysis 4.0."""
        query = {snake(key): value for key, value in parse_qsl(urlsplit(url).query)}
        features = [part for part in query.pop("visual_features", "").split(",") if part]
        options: Dict[str, Any] = dict(query)
        picture = body
        if isinstance(body, Mapping):
            options.update((key, value) for key, value in body.items() if key != "url")
            picture = body.get("url")
        return _camel(self.seen(entry, picture, features, options))

    def seen(self, entry: Entry, picture: Any, features: Sequence[str], options: Any) -> Any:
        """The canonical answer about a picture, in the shape of any generation."""
        if str(entry["schema"]) in self.described.schema.messages:
            return self.picture(entry, picture, features, options)
        content, _, uri = source(picture, "image")
        request = api_calls.ApiRequest(str(entry["name"]), content, None, uri, plain(options))
        answer = self.described.ask(entry, request)
        return answer.get(ELEMENTS, answer)

    def picture(
        self, entry: Entry, picture: Any, features: Sequence[str], options: Any
    ) -> Dict[str, Any]:
        """Return the canonical answer about a picture, with the asked ``features`` alone."""
        wanted = [snake(feature[:1].lower() + feature[1:]) for feature in features]
        asked = plain({**options, "features": sorted(wanted)})
        content, _, uri = source(picture, "image")
        answer = self.described.ask(
            entry, api_calls.ApiRequest(str(entry["name"]), content, None, uri, asked)
        )
        whole = complete(self.described.schema, str(entry["schema"]), answer)
        known = (*wanted, "metadata", "model_version")
        return {key: value for key, value in whole.items() if key in known}


def semantic(entry: Entry, document: Any, options: Any) -> api_calls.ApiRequest:
    """Return the question about one document; a default language or country is left out."""
    given = {str(k): v for k, v in (options or {}).items() if k not in _TRANSPORT}
    text: Any = document
    if isinstance(document, Mapping):
        text = document.get("text")
        language = document.get("language") or document.get("countryHint")
    else:
        text = getattr(document, "text", document)
        language = getattr(document, "language", None)
    language = language or given.pop("language", None) or given.pop("country_hint", None)
    if language and str(language).lower() not in _DEFAULTS:
        given["language"] = language
    texts = said(text)
    return api_calls.ApiRequest(
        str(entry["name"]), None, texts[0] if texts else None, None, plain(given)
    )


def _camel(value: Any) -> Any:
    """An answer as older services write it; lists stand without an object around them."""
    if isinstance(value, (list, tuple)):
        return [_camel(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if set(value) == {"list"}:
        return _camel(value["list"])
    return {camel(str(name)): _camel(item) for name, item in value.items()}


_TRANSPORT = ("modelVersion", "model_version", "stringIndexType", "loggingOptOut", "opinionMining",
              "showStats", "domain", "model-version", "show_stats", "show_opinion_mining",
              "disable_service_logs", "string_index_type")  # fmt: skip

ENDPOINT = "https://assayer.invalid"
KEY = "assayer"
_CLIENTS = (
    "TextAnalyticsClient", "ImageAnalysisClient", "DocumentIntelligenceClient",
    "DocumentAnalysisClient",
)  # fmt: skip


class AzureSdk:
    """Patches ``azure.core``, on which all current SDKs are built."""

    def __init__(self, azure: Azure, openai: OpenAI) -> None:
        self._azure = azure
        self._openai = openai

    def pipeline(self, module: ModuleType) -> None:
        """Patch a module of ``azure.core.pipeline``: no policy runs, no token is fetched."""

        def run(pipeline: Any, request: Any, **options: Any) -> Any:
            return self._run(pipeline, request, options)

        for name, made in (("Pipeline", run), ("AsyncPipeline", awaited(run))):
            if name in vars(module):
                vars(module)[name].run = made

    def credentials(self, module: ModuleType) -> None:
        """Patch ``azure.core.credentials``: a key that is not here will do."""
        kind: Any = vars(module)["AzureKeyCredential"]
        original = kind.__init__

        def made(self: Any, key: Any) -> None:
            original(self, str(key) if key else KEY)

        kind.__init__ = made

    def clients(self, module: ModuleType) -> None:
        """Patch the packages of the clients: an address that is not here will do."""
        for name in _CLIENTS:
            client: Any = vars(module).get(name)
            if client is not None and not hasattr(client.__init__, "_assayer"):
                client.__init__ = _with_endpoint(client.__init__)

    def _run(self, pipeline: Any, request: Any, options: Dict[str, Any]) -> Any:
        from azure.core.pipeline import PipelineContext, PipelineResponse

        try:
            wire = self._wire(str(request.url), _body(request))
        except api_calls.ServiceFailure as failed:
            if failed.status is None:
                raise late() from None
            wire = {**failure(failed.status, "azure"), DELIVERY: {"status": failed.status}}
        if wire is None:
            raise unreachable(request)
        request.headers.setdefault("x-ms-client-request-id", "assayer")
        context: Any = PipelineContext(getattr(pipeline, "_transport", None), **options)
        brought = taken_delivery(wire)
        context["deserialized_data"] = wire
        later = type(pipeline).__name__.startswith("Async")
        kind = AsyncAzureResponse if later else AzureResponse
        return PipelineResponse(request, kind(request, wire, brought), context)

    def _wire(self, url: str, body: Any) -> Optional[Any]:
        """The JSON or the events that answer a request, of models that are asked as OpenAI's."""
        wire, entry = self._azure.wire(url, body), self._openai.path(url)
        if wire is not None or entry is None or not isinstance(body, Mapping):
            return wire
        wire = self._openai.wire(entry, self._openai.answer(entry, body))
        return self._openai.events(entry, wire) if body.get("stream") is True else wire


def _with_endpoint(original: Callable[..., Any]) -> Callable[..., Any]:
    def made(self: Any, endpoint: Any = None, *args: Any, **options: Any) -> None:
        original(self, str(endpoint) if endpoint else ENDPOINT, *args, **options)

    made.__dict__["_assayer"] = True
    return made


def _body(request: Any) -> Any:
    """The body of a request: an object where it is JSON, else its bytes."""
    content: Any = getattr(request, "content", None)
    body: Any = getattr(request, "body", None) if content is None else content
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, (str, bytes)):
        try:
            return json.loads(body)
        except ValueError:
            return body.encode() if isinstance(body, str) else body
    return body


def unreachable(request: Any) -> Exception:
    """Return what a client raises for a request that no described API answers."""
    from azure.core.exceptions import ServiceRequestError

    parts = urlsplit(str(request.url))
    name = f"azure.{request.method} {parts.netloc}{parts.path}"
    message = f"Cannot connect to {name}: no described ML API"
    return api_calls.unanswered(name, ServiceRequestError(message))


def late() -> Exception:
    """Return what a client raises where the service does not answer in time."""
    from azure.core import exceptions

    kind = getattr(exceptions, "ServiceResponseTimeoutError", exceptions.ServiceResponseError)
    error: Exception = kind("Read timed out")
    return error


class AzureResponse:
    """A response as ``azure.core`` reads it."""

    content_type = "application/json"
    encoding = "utf-8"
    is_closed = True
    is_stream_consumed = True

    def __init__(self, request: Any, wire: Any, brought: Mapping[str, Any]) -> None:
        from azure.core.utils import CaseInsensitiveDict

        self.request = request
        self.url = str(request.url)
        self.status_code = int(brought.get("status") or 200)
        self.reason = responses.get(self.status_code, "OK")
        self.headers = CaseInsensitiveDict(
            {"content-type": self.content_type, **(brought.get("headers") or {})}
        )
        self._wire = wire

    def json(self) -> Any:
        """The body as an object."""
        return self._wire

    def text(self, encoding: Any = None) -> str:
        """The body as text."""
        del encoding
        return json.dumps(self._wire)

    def body(self) -> bytes:
        """The body as bytes."""
        return self._wire if isinstance(self._wire, bytes) else self.text().encode()

    read = body

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.body()

    def iter_bytes(self, **_: Any) -> Iterator[bytes]:
        """The body in one piece."""
        yield self.body()

    def raise_for_status(self) -> None:
        """Raise the client's error where the status is bad."""
        if self.status_code >= 400:
            from azure.core.exceptions import HttpResponseError

            raise HttpResponseError(response=self)

    def close(self) -> None:
        """Nothing: there is no connection."""


class AsyncAzureResponse(AzureResponse):
    """A response as the asynchronous half of ``azure.core`` reads it."""

    async def read(self) -> bytes:  # type: ignore[override]
        """The body as bytes."""
        return self.body()

    async def load_body(self) -> None:
        """Nothing: the body is there."""

    async def iter_bytes(self, **_: Any) -> AsyncIterator[bytes]:  # type: ignore[override]
        """The body in one piece."""
        yield self.body()

    async def close(self) -> None:  # type: ignore[override]
        """Nothing: there is no connection."""
