"""Requests of OpenAI's clients, whichever client it is, and the answers they get."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Protocol

from ..protocol import api_calls
from .conversations import conversation
from .described_apis import DELIVERY, DescribedApis, Entry, failure, plain, source, taken_delivery
from .event_streams import broken_off, completion_chunks, response_events, server_sent
from .response_record import Record
from .schema_fitting import complete, on_the_wire

INPUTS = ("messages", "input", "prompt", "file")
_MODERATED = "openai.types.Moderation"


class Answering(Protocol):
    """The part of a provider that answers the requests of its SDK."""

    described: DescribedApis

    def path(self, url: str) -> Optional[Entry]:
        """The description of what answers below the path of a URL."""
        ...

    def answer(self, entry: Entry, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Return the canonical response to a request's body."""
        ...

    def wire(self, entry: Entry, answer: Mapping[str, Any]) -> Any:
        """The JSON that says so."""
        ...

    def events(self, entry: Entry, wire: Mapping[str, Any]) -> Optional[bytes]:
        """The events of a stream that say so; ``None`` where the API has no known stream."""
        ...


class OpenAI:
    """Answers the requests that the catalogue describes."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described
        self._paths: Dict[str, Entry] = {}
        for path, name in _PATHS.items():
            entry = described.named(f"openai.{name}")
            if entry is not None:
                self._paths[path] = entry

    def path(self, url: str) -> Optional[Entry]:
        """The description of what answers below the path of a URL."""
        found = [path for path in self._paths if url.partition("?")[0].endswith(path)]
        return self._paths[max(found, key=len)] if found else None

    def answer(self, entry: Entry, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Return the canonical response to a request's body; texts to moderate are asked singly."""
        stream = streaming(body)
        asked = (replace(each, stream=stream) for each in semantic(entry, body))
        answers = [self.described.ask(entry, each) for each in asked]
        answer = dict(answers[0])
        if len(answers) > 1:
            answer["results"] = [one for each in answers for one in each.get("results") or []]
        return self.response(entry, str(body.get("model") or "model"), answer)

    def response(self, entry: Entry, model: str, answer: Mapping[str, Any]) -> Dict[str, Any]:
        """Return the canonical response with an answer, and what else a response has."""
        return {**_around(entry, model), **_filled(self.described.schema, entry, answer)}

    def wire(self, entry: Entry, answer: Mapping[str, Any]) -> Any:
        """The JSON that says so."""
        return on_the_wire(self.described.schema, str(entry["schema"]), answer, str)

    def events(self, entry: Entry, wire: Mapping[str, Any]) -> Optional[bytes]:
        """The events of a stream that say so: of completions and responses."""
        name = str(entry["name"]).rpartition(".")[2]
        if name == "responses":
            return server_sent(response_events(wire), named=True)
        if "choices" not in str(entry["result"]):
            return None
        if (wire.get(DELIVERY) or {}).get("broken"):
            return server_sent(broken_off(completion_chunks(wire), failure(500)))
        return server_sent(completion_chunks(wire), done=True)


def streaming(body: Mapping[str, Any]) -> Dict[str, bool]:
    """Return the ways to bring the parts of an answer; none where a request wants it whole."""
    if body.get("stream") is not True:
        return {}
    options = body.get("stream_options")
    usage = isinstance(options, Mapping) and options.get("include_usage") is True
    return {
        "padded": True,
        "usage": usage,
        "filtered": bool(body.get(FILTERED)),
        "unasked": bool(body.get(UNASKED)),
    }


FILTERED, UNASKED = "_filtered", "_unasked"
"""Fields of a body that tell of a service which sends its content filter's results first, or the
usage behind the answer unasked."""
_SENDING_USAGE = re.compile(r"(^|\.)(openrouter\.ai|nvidia\.com)$")
_PATHS = {
    "/chat/completions": "chat_completions",
    "/completions": "completions",
    "/responses": "responses",
    "/moderations": "moderations",
    "/audio/transcriptions": "transcriptions",
    "/audio/translations": "transcriptions",
}


def semantic(entry: Entry, body: Mapping[str, Any]) -> List[api_calls.ApiRequest]:
    """Return the questions of a request: one, or one for each text to moderate.

    The text is what the messages say, one a line; the content or URI that of their first picture.
    ``messages`` stay an option where they are more than one text of a user.
    """
    name = str(entry["name"])
    head = next((each for each in INPUTS if body.get(each) is not None), "input")
    value: Any = body.get(head)
    hidden = (head, "stream", "stream_options", FILTERED, UNASKED)
    options = plain({k: v for k, v in body.items() if k not in hidden})
    if head == "file":
        options = {k: str(v) if isinstance(v, (int, float)) else v for k, v in options.items()}
        content = value[1] if isinstance(value, tuple) else value
        return [api_calls.ApiRequest(name, *source(content, "audio"), options)]
    moderated = name.endswith(".moderations") and isinstance(value, list)
    if moderated and not any(isinstance(each, Mapping) for each in value):
        return [api_calls.ApiRequest(name, None, each, None, options) for each in value]
    return [conversation(name, head, value, options)]


# ------------------------------------------------------------------- answers


def _around(entry: Entry, model: str) -> Dict[str, Any]:
    kind = str(entry["name"]).rpartition(".")[2]
    if kind == "transcriptions":
        return {}
    made: Dict[str, Any] = {"id": f"{kind}-assayer", "model": model}
    if kind == "responses":
        return {**made, "object": "response", "created_at": 0.0, "status": "completed"}
    if kind != "moderations":
        what = "chat.completion" if kind == "chat_completions" else "text_completion"
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        made.update(object=what, created=0, usage=usage)
    if kind == "chat_completions":
        made.update(service_tier="default", system_fingerprint="fp_assayer")
    return made


def _filled(schema: Any, entry: Entry, answer: Mapping[str, Any]) -> Dict[str, Any]:
    made: Dict[str, Any] = dict(answer)
    if "results" in made:
        made["results"] = [complete(schema, _MODERATED, one) for one in made["results"]]
    if "choices" in made:
        made["choices"] = [_choice(n, choice) for n, choice in enumerate(made["choices"])]
    if str(entry["name"]).endswith(".responses"):
        output: List[Dict[str, Any]] = made.get("output") or []
        made["output"] = [_output(item) for item in output]
    return made


def _choice(number: int, choice: Mapping[str, Any]) -> Dict[str, Any]:
    made: Dict[str, Any] = {"index": number, "finish_reason": "stop", **choice}
    if "message" in made:
        made["message"] = {"role": "assistant", "content": None, **made["message"]}
    return made


def _output(item: Mapping[str, Any]) -> Dict[str, Any]:
    if item.get("type", "message") != "message":
        return {"status": "completed", **item}
    shared: Dict[str, Any] = {
        "id": "msg-assayer",
        "type": "message",
        "role": "assistant",
        "status": "completed",
    }
    text: Dict[str, Any] = {"type": "output_text", "annotations": []}
    content: Any = item.get("content") or ()
    parts = [part if "refusal" in part else {**text, **part} for part in content]
    return {**shared, **item, "content": parts}


_KEY = "assayer"
_ADDRESS = "https://api.openai.com/v1"
_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "openai._client": {"api_key": "OPENAI_API_KEY"},
    "openai.lib.azure": {
        "api_key": "AZURE_OPENAI_API_KEY",
        "azure_endpoint": "AZURE_OPENAI_ENDPOINT",
        "api_version": "OPENAI_API_VERSION",
    },
    "anthropic._client": {},
    "anthropic.lib.bedrock._client": {},
    "anthropic.lib.vertex._client": {"region": "CLOUD_ML_REGION"},
}
_VALUES = {
    "azure_endpoint": "https://assayer.invalid", "api_version": "2024-10-21", "region": "us-east5",
}  # fmt: skip
_CLIENTS = (
    "OpenAI", "AsyncOpenAI", "AzureOpenAI", "AsyncAzureOpenAI", "Anthropic", "AsyncAnthropic",
    "AnthropicBedrock", "AsyncAnthropicBedrock", "AnthropicVertex", "AsyncAnthropicVertex",
)  # fmt: skip


class OpenAISdk:
    """Patches the modules of the SDK, or of one generated alike, as they are imported."""

    def __init__(self, openai: Answering, package: str = "openai") -> None:
        self._openai = openai
        self._package = package

    def base_client(self, module: ModuleType) -> None:
        """Patch ``_base_client``: where every request is sent."""
        names = vars(module)
        http = names.get("httpx2") or names["httpx"]
        sync: Any = names["SyncAPIClient"]
        later: Any = names["AsyncAPIClient"]

        def request(client: Any, cast_to: Any, options: Any, *_: Any, **how: Any) -> Any:
            return self._answer(http, client, cast_to, options, how)

        async def request_later(
            client: Any, cast_to: Any, options: Any, *_: Any, **how: Any
        ) -> Any:
            answer = self._answer(http, client, cast_to, options, how)
            return await answer if inspect.isawaitable(answer) else answer

        sync.request = request
        later.request = request_later

    def clients(self, module: ModuleType) -> None:
        """Patch ``_client``, or a module of ``lib`` with clients: no key is needed."""
        wanted = _DEFAULTS[module.__name__]
        for name in _CLIENTS:
            kind: Any = vars(module).get(name)
            if kind is not None and kind.__module__ == module.__name__:
                transport = _transport(self._package, name)
                kind.__init__ = _with_defaults(kind.__init__, wanted, transport)

    def _answer(self, http: Any, client: Any, cast_to: Any, options: Any, how: Any) -> Any:
        entry = self._openai.path(str(options.url))
        body = _body(options)
        stream = bool(how.get("stream"))
        if entry is None or (stream and self._openai.events(entry, {}) is None):
            raise unreachable(self._package, http, options, stream)
        if stream:
            body.update(_own_ways(client))
        try:
            answer = self._openai.answer(entry, body)
        except api_calls.ServiceFailure as failed:
            raise self._failure(http, client, options, failed.status) from None
        if not (api_calls.session().faithful or stream or getattr(options, "post_parser", None)):
            return response_of(Record, self._openai, entry, answer)
        wire = self._openai.wire(entry, answer)
        parts = self._openai.events(entry, wire) if stream else None
        response = _response(http, options, wire, body, parts)
        return _processed(client, cast_to, options, response, how)

    def _failure(self, http: Any, client: Any, options: Any, status: Optional[int]) -> Exception:
        """Return what the client raises for a status, or for no answer in time."""
        request = _request(http, options)
        error: Exception
        if status is None:
            error = importlib.import_module(self._package).APITimeoutError(request=request)
        else:
            refused = http.Response(status, json=failure(status), request=request)
            error = client._make_status_error_from_response(refused)
        return error


def response_of(kind: Any, openai: Answering, entry: Entry, answer: Mapping[str, Any]) -> Any:
    """A response object without the SDK."""
    made = kind(openai.described.schema, str(entry["schema"]), answer)
    if str(entry["name"]).endswith(".responses"):
        parts = [part for item in answer["output"] for part in item.get("content") or ()]
        made.__dict__["output_text"] = "".join(part.get("text", "") for part in parts)
    return made


def _own_ways(client: Any) -> Dict[str, bool]:
    """Return what the server of a client sends in a stream beside the answer."""
    host = str(getattr(getattr(client, "base_url", None), "host", ""))
    azure = "Azure" in type(client).__name__ or host.endswith(("azure.com", "models.github.ai"))
    return {FILTERED: azure, UNASKED: _SENDING_USAGE.search(host) is not None}


def _body(options: Any) -> Dict[str, Any]:
    given: Mapping[str, Any] = options.json_data or {}
    body = {k: v for k, v in given.items() if type(v).__name__ not in ("Omit", "NotGiven")}
    files = getattr(options, "files", None) or ()
    for name, file in files.items() if isinstance(files, Mapping) else files:
        body[name] = file
    return body


def _request(http: Any, options: Any) -> Any:
    given = options.headers if isinstance(options.headers, Mapping) else {}
    headers = {key: value for key, value in given.items() if isinstance(value, str)}
    return http.Request(options.method, _ADDRESS + str(options.url), headers=headers)


def _response(http: Any, options: Any, wire: Any, body: Any, parts: Optional[bytes]) -> Any:
    request = _request(http, options)
    if parts is not None:
        kind = {"content-type": "text/event-stream"}
        return http.Response(200, content=parts, headers=kind, request=request)
    taken_delivery(wire)
    if body.get("response_format") in ("text", "srt", "vtt"):
        return http.Response(200, text=str(wire.get("text", "")), request=request)
    return http.Response(200, json=wire, request=request)


def _processed(client: Any, cast_to: Any, options: Any, response: Any, how: Any) -> Any:
    override = getattr(client, "_maybe_override_cast_to", None)
    cast_to = cast_to if override is None else override(cast_to, options)
    process = client._process_response
    given = {
        "cast_to": cast_to, "options": options, "response": response, "retries_taken": 0,
        "stream": bool(how.get("stream")), "stream_cls": how.get("stream_cls"),
    }  # fmt: skip
    known = inspect.signature(process).parameters
    return process(**{key: value for key, value in given.items() if key in known})


def unreachable(package: str, http: Any, options: Any, stream: bool) -> Exception:
    """Return what a client raises for a request that no described API answers."""
    kind = importlib.import_module(package).APIConnectionError
    path = str(options.url).partition("?")[0].strip("/").replace("/", ".")
    name = f"{package}.{path}" + (" (as a stream)" if stream else "")
    request = http.Request(options.method, _ADDRESS + str(options.url))
    message = f"Connection error: {name} is no described ML API"
    return api_calls.unanswered(name, kind(message=message, request=request))


def _transport(package: str, name: str) -> Callable[[], Any]:
    """The transport of all clients of a class, made once: nothing is sent over it."""

    @functools.cache
    def transport() -> Any:
        openai = importlib.import_module(package)
        kind = "DefaultAsyncHttpxClient" if "Async" in name else "DefaultHttpxClient"
        made: Any = getattr(openai, kind, None)
        return None if made is None else made()

    return transport


def _with_defaults(
    original: Callable[..., Any], wanted: Mapping[str, str], transport: Callable[[], Any]
) -> Callable[..., Any]:
    def made(self: Any, *args: Any, **options: Any) -> None:
        for name, variable in wanted.items():
            known = options.get(name) is not None or os.environ.get(variable)
            if name == "azure_endpoint" and options.get("base_url") is not None:
                continue
            if not known:
                options[name] = _VALUES.get(name, _KEY)
        if options.get("http_client") is None:
            options["http_client"] = transport()
        original(self, *args, **options)

    return made
