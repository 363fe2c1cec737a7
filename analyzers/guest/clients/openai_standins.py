"""A stand-in for ``openai``, of both generations: 0.x and 1.0 and later."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Tuple

from ..protocol import api_calls
from ..runtime.standins import Entered, InertModule, awaited
from .described_apis import DELIVERY, Entry
from .event_streams import Events, completion_chunks, response_events
from .openai import OpenAI, response_of
from .response_record import UNKNOWN, Record, Subscriptable
from .schema_messages import Schema

FIRST = re.compile(
    r"\bopenai\.(?:ChatCompletion|Completion|Moderation|Audio|Embedding|Image|Edit|error)\b"
    r"|\bopenai import [^\n#]*\b(?:ChatCompletion|Completion|Moderation|Audio|error)\b"
)
_CLIENTS = (
    "OpenAI", "AzureOpenAI", "Client", "Groq", "Together", "Mistral", "ChatCompletionsClient",
)  # fmt: skip
_WRAPPERS = re.compile(r"(from_\w+|a?patch)$")
"""Functions of ``instructor`` that make a client of another."""
_SAME = {
    "complete": "chat.completions.create",
    "chat.complete": "chat.completions.create",
    "chat.complete_async": "chat.completions.create",
    "chat.stream": "chat.completions.create",
    "chat.stream_async": "chat.completions.create",
}
"""The methods of ``azure.ai.inference`` and ``mistralai`` by those of ``openai``."""
_FIRST_NAMES = (
    "ChatCompletion", "Completion", "Moderation", "Audio", "Embedding", "Image", "Edit", "File",
    "FineTune", "FineTuningJob", "Model", "Engine",
)  # fmt: skip
_RESOURCES = (
    "chat", "completions", "responses", "moderations", "audio", "beta", "embeddings", "images",
    "files", "models", "batches", "fine_tuning", "vector_stores",
)  # fmt: skip
_TRANSPARENT = ("with_options", "copy")


class OpenAIError(Exception):
    """The base of what the SDK raises."""


class APIError(OpenAIError):
    """An error of a request."""


_ERRORS: Dict[str, type] = {"OpenAIError": OpenAIError, "APIError": APIError}
for _kind in _ERRORS.values():
    _kind.__module__ = "openai"


def _error(name: str) -> type:
    if name not in _ERRORS:
        _ERRORS[name] = type(name, (APIError,), {"__module__": "openai"})
    return _ERRORS[name]


class OpenAIStandins:
    """Makes the modules."""

    def __init__(self, openai: OpenAI) -> None:
        self._openai = openai

    def module(self, name: str, functions: Optional[Mapping[str, Any]] = None) -> InertModule:
        """A stand-in for ``openai`` or a module of it, or for one with such ``functions``."""
        return _Module(name, _openai=self._openai, **(functions or {}))

    def asked(self, params: Mapping[str, Any]) -> Any:
        """The completion that a request gets, or its parts: objects that are mappings, too."""
        return _Path(self._openai, ("chat", "completions", "create"), Subscriptable)(**params)

    def said(self, entry: Entry, text: str, params: Mapping[str, Any]) -> Any:
        """The completion with a text, or its parts, whichever service has said that."""
        choice = {"message": {"role": "assistant", "content": text}}
        made = self._openai.response(entry, str(params.get("model")), {"choices": [choice]})
        path = _Path(self._openai, ("chat",), Subscriptable)
        if params.get("stream") is True:
            return path.streamed(made)
        return response_of(Subscriptable, self._openai, entry, made)


class _Module(InertModule):
    """``openai`` itself: clients, errors, and the calls of 0.x and of the module."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattr__(name)
        openai = self.__dict__["_openai"]
        plain = name.replace("Async", "", 1)
        if plain in _CLIENTS or _WRAPPERS.match(name):
            later = name.startswith("Async") or self.__name__.endswith(".aio")
            return _client(openai, later=later)
        if name in (*_FIRST_NAMES, *_RESOURCES):
            return _Path(openai, (name,), Record if name in _RESOURCES else Subscriptable)
        if name.endswith(("Error", "Exception")):
            return _error(name)
        return super().__getattr__(name)


def _client(openai: OpenAI, *, later: bool) -> Any:
    """Return what makes a client, or gives back the one that it is made of."""

    def client(given: Any = None, *_: Any, **__: Any) -> _Path:
        awaited = later or type(given).__name__.startswith("Async")
        return given if isinstance(given, _Path) else _Path(openai, (), Record, awaited=awaited)

    return client


class _Path(Entered):
    """A client or a resource of it; called, it is the method of that name."""

    def __init__(
        self, openai: OpenAI, names: Tuple[str, ...], kind: Any, *, awaited: bool = False
    ) -> None:
        self._openai = openai
        self._names = names
        self._kind = kind
        self._awaited = awaited

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        awaited = self._awaited or name == "acreate" or name.endswith("_async")
        return _Path(self._openai, (*self._names, name), self._kind, awaited=awaited)

    def __call__(self, *args: Any, **params: Any) -> Any:
        if not self._names or self._names[-1] in _TRANSPARENT:
            return _Path(self._openai, self._names[:-1], self._kind, awaited=self._awaited)
        if args and self._names[0] == "Audio":
            params = dict(zip(("model", "file"), args), **params)
        return (awaited(self._answer) if self._awaited else self._answer)(params)

    def _answer(self, params: Mapping[str, Any]) -> Any:
        called = ".".join(self._names)
        name = f"openai.{_SAME.get(called, called)}"
        entry = self._openai.described.method(name)
        stream = params.get("stream") is True or "stream" in self._names[-1]
        responses = entry is not None and str(entry["name"]).endswith(".responses")
        if entry is None or (stream and not responses and "choices" not in str(entry["result"])):
            message = f"Connection error: {name} is no described ML API"
            raise api_calls.unanswered(name, _error("APIConnectionError")(message))
        shapes = (params.get(each) for each in ("response_format", "text_format", _MODEL))
        shape: Any = next(filter(None, shapes), None)
        if shape in ("text", "srt", "vtt"):
            return self._openai.answer(entry, params).get("text", "")
        kept = (item for item in params.items() if item[0] not in ("stream", _MODEL))
        body = {key: value for key, value in kept if not isinstance(value, type)}
        if stream:
            body["stream"] = True
        if callable(getattr(shape, "model_json_schema", None)):
            schema = {"name": shape.__name__, "strict": True, "schema": shape.model_json_schema()}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        try:
            answer = self._openai.answer(entry, body)
        except api_calls.ServiceFailure as failed:
            raise _error(_FAILURES.get(failed.status, "APIStatusError"))(str(failed)) from None
        if stream:
            return self.streamed(answer, responses=responses)
        made = response_of(self._kind, self._openai, entry, answer)
        if params.get(_MODEL) is not None:
            return _parsed(made, shape).choices[0].message.parsed
        return _parsed(made, shape) if self._names[-1] == "parse" else made

    def streamed(self, answer: Mapping[str, Any], *, responses: bool = False) -> Events:
        """The parts of an answer; of one that breaks off, the SDK's error behind some."""
        events = response_events(answer) if responses else completion_chunks(answer)
        if responses or not (answer.get(DELIVERY) or {}).get("broken"):
            return Events(map(self._part, events))
        half = events[: (len(events) + 1) // 2]
        return Events(map(self._part, half), _error("APIError")("The stream broke off."))

    def _part(self, chunk: Mapping[str, Any]) -> Any:
        """A part of a stream, with every field of a delta; ``mistralai`` has it in an event."""
        if "choices" not in chunk:
            return self._kind(_NO_SCHEMA, UNKNOWN, chunk)
        choices = [
            {**each, "delta": {**_DELTA, **each["delta"]}} if "delta" in each else each
            for each in chunk["choices"]
        ]
        made = self._kind(_NO_SCHEMA, UNKNOWN, {**chunk, "choices": choices})
        is_event = self._names[-1] in ("stream", "stream_async")
        return self._kind(_NO_SCHEMA, UNKNOWN, {"data": made}) if is_event else made


_FAILURES = {
    None: "APITimeoutError", 400: "BadRequestError", 429: "RateLimitError",
    500: "InternalServerError",
}  # fmt: skip
_MODEL = "response_model"
_DELTA: Mapping[str, Any] = {"content": None, "role": None, "tool_calls": None, "refusal": None}
_NO_SCHEMA = Schema({})


def _parsed(made: Any, shape: Any) -> Any:
    read: Any = getattr(shape, "model_validate_json", None)
    if read is None:
        return made
    for choice in getattr(made, "choices", None) or ():
        choice.message.__dict__["parsed"] = read(choice.message.content)
    if hasattr(made, "output_text"):
        made.__dict__["output_parsed"] = read(made.output_text)
    return made
