"""A stand-in for ``openai``, of both generations: 0.x and 1.0 and later."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Tuple

from ..protocol import api_calls
from ..runtime.standins import Entered, InertModule, awaited
from .described_apis import taken_delivery
from .openai import OpenAI, response_of
from .response_record import Record, Subscriptable

FIRST = re.compile(
    r"\bopenai\.(?:ChatCompletion|Completion|Moderation|Audio|Embedding|Image|Edit|error)\b"
    r"|\bopenai import [^\n#]*\b(?:ChatCompletion|Completion|Moderation|Audio|error)\b"
)
_CLIENTS = ("OpenAI", "AzureOpenAI", "Client")
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

    def module(self, name: str) -> InertModule:
        """A stand-in for ``openai`` or a module of it."""
        return _Module(name, _openai=self._openai)


class _Module(InertModule):
    """``openai`` itself: clients, errors, and the calls of 0.x and of the module."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattr__(name)
        openai = self.__dict__["_openai"]
        plain = name.replace("Async", "", 1)
        if plain in _CLIENTS:
            later = name.startswith("Async")
            return lambda *_, **__: _Path(openai, (), Record, awaited=later)
        if name in _FIRST_NAMES:
            return _Path(openai, (name,), Subscriptable)
        if name in _RESOURCES:
            return _Path(openai, (name,), Record)
        if name.endswith(("Error", "Exception")):
            return _error(name)
        return super().__getattr__(name)


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
        awaited = self._awaited or (name.startswith("a") and f"{name[1:]}" in ("create",))
        return _Path(self._openai, (*self._names, name), self._kind, awaited=awaited)

    def __call__(self, *args: Any, **params: Any) -> Any:
        if not self._names or self._names[-1] in _TRANSPARENT:
            return _Path(self._openai, self._names[:-1], self._kind, awaited=self._awaited)
        if args and self._names[0] == "Audio":
            params = dict(zip(("model", "file"), args), **params)
        return (awaited(self._answer) if self._awaited else self._answer)(params)

    def _answer(self, params: Mapping[str, Any]) -> Any:
        name = ".".join(("openai", *self._names))
        entry = self._openai.described.method(name)
        if entry is None or params.get("stream"):
            message = f"Connection error: {name} is no described ML API"
            raise api_calls.unanswered(name, _error("APIConnectionError")(message))
        shape: Any = params.get("response_format") or params.get("text_format")
        if shape in ("text", "srt", "vtt"):
            return self._openai.answer(entry, params).get("text", "")
        body = {key: value for key, value in params.items() if not isinstance(value, type)}
        if callable(getattr(shape, "model_json_schema", None)):
            schema = {"name": shape.__name__, "strict": True, "schema": shape.model_json_schema()}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        answer = self._openai.answer(entry, body)
        if taken_delivery(answer).get("status"):
            raise _error("RateLimitError")("Rate limit reached")
        made = response_of(self._kind, self._openai, entry, answer)
        return _parsed(made, shape) if self._names[-1] == "parse" else made


def _parsed(made: Any, shape: Any) -> Any:
    read: Any = getattr(shape, "model_validate_json", None)
    if read is None:
        return made
    for choice in getattr(made, "choices", None) or ():
        choice.message.__dict__["parsed"] = read(choice.message.content)
    if hasattr(made, "output_text"):
        made.__dict__["output_parsed"] = read(made.output_text)
    return made
