"""The installed ``openai`` (1.0 and later), with its requests caught."""

from __future__ import annotations

import functools
import inspect
import os
from types import ModuleType
from typing import Any, Callable, Dict, Mapping

from .. import calls
from .described import Entry
from .openai_api import OpenAI, events
from .record import Record

_KEY = "assayer"
_ADDRESS = "https://api.openai.com/v1"
_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "openai._client": {"api_key": "OPENAI_API_KEY"},
    "openai.lib.azure": {
        "api_key": "AZURE_OPENAI_API_KEY",
        "azure_endpoint": "AZURE_OPENAI_ENDPOINT",
        "api_version": "OPENAI_API_VERSION",
    },
}
_VALUES = {"azure_endpoint": "https://assayer.invalid", "api_version": "2024-10-21"}


class Sdk:
    """Patches the modules of the SDK as they are imported."""

    def __init__(self, openai: OpenAI) -> None:
        self._openai = openai

    def base_client(self, module: ModuleType) -> None:
        """Patch ``openai._base_client``: where every request is sent."""
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
        """Patch ``openai._client`` or ``openai.lib.azure``: no key is needed."""
        wanted = _DEFAULTS[module.__name__]
        for name in ("OpenAI", "AsyncOpenAI", "AzureOpenAI", "AsyncAzureOpenAI"):
            kind: Any = vars(module).get(name)
            if kind is not None and kind.__module__ == module.__name__:
                kind.__init__ = _with_defaults(kind.__init__, wanted, _transport(name))

    def _answer(self, http: Any, client: Any, cast_to: Any, options: Any, how: Any) -> Any:
        entry = self._openai.path(str(options.url))
        body = _body(options)
        stream = bool(how.get("stream"))
        if entry is None or (stream and "choices" not in str(entry["result"])):
            raise unreachable(http, options, stream)
        answer = self._openai.answer(entry, body)
        if not (calls.session().faithful or stream or getattr(options, "post_parser", None)):
            return response_of(Record, self._openai, entry, answer)
        response = _response(http, options, self._openai.wire(entry, answer), body, stream)
        return _processed(client, cast_to, options, response, how)


def response_of(kind: Any, openai: OpenAI, entry: Entry, answer: Mapping[str, Any]) -> Any:
    """A response object without the SDK."""
    made = kind(openai.described.schema, str(entry["schema"]), answer)
    if str(entry["name"]).endswith(".responses"):
        parts = [part for item in answer["output"] for part in item["content"]]
        made.__dict__["output_text"] = "".join(part.get("text", "") for part in parts)
    return made


def _body(options: Any) -> Dict[str, Any]:
    """The parameters of a request: its JSON, and the file that goes with it."""
    body = dict(options.json_data or {})
    files = getattr(options, "files", None) or ()
    for name, file in files.items() if isinstance(files, Mapping) else files:
        body[name] = file
    return body


def _response(http: Any, options: Any, wire: Any, body: Any, stream: bool) -> Any:
    given = options.headers if isinstance(options.headers, Mapping) else {}
    headers = {key: value for key, value in given.items() if isinstance(value, str)}
    request = http.Request(options.method, _ADDRESS + str(options.url), headers=headers)
    if stream:
        kind = {"content-type": "text/event-stream"}
        return http.Response(200, content=events(wire), headers=kind, request=request)
    if body.get("response_format") in ("text", "srt", "vtt"):
        return http.Response(200, text=str(wire.get("text", "")), request=request)
    return http.Response(200, json=wire, request=request)


def _processed(client: Any, cast_to: Any, options: Any, response: Any, how: Any) -> Any:
    """What the SDK makes of a response, its own way."""
    override = getattr(client, "_maybe_override_cast_to", None)
    cast_to = cast_to if override is None else override(cast_to, options)
    process = client._process_response
    given = {
        "cast_to": cast_to, "options": options, "response": response, "retries_taken": 0,
        "stream": bool(how.get("stream")), "stream_cls": how.get("stream_cls"),
    }  # fmt: skip
    known = inspect.signature(process).parameters
    return process(**{key: value for key, value in given.items() if key in known})


def unreachable(http: Any, options: Any, stream: bool) -> Exception:
    """What a client raises for a request that no described API answers."""
    from openai import APIConnectionError

    path = str(options.url).partition("?")[0].strip("/").replace("/", ".")
    name = f"openai.{path}" + (" (as a stream)" if stream else "")
    request = http.Request(options.method, _ADDRESS + str(options.url))
    message = f"Connection error: {name} is no described ML API"
    return calls.unanswered(name, APIConnectionError(message=message, request=request))


def _transport(name: str) -> Callable[[], Any]:
    """The transport of all clients of a class, made once: nothing is sent over it."""

    @functools.cache
    def transport() -> Any:
        import openai

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
