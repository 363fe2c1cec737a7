"""OpenAI's API, and whatever speaks it.

https://platform.openai.com/docs/api-reference
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from analyzers.vocabulary import Json, JsonObject
from worker.engines.api_answers import by_schema, shape
from worker.engines.engine import ApiRequest, NotAsked
from worker.engines.providers.http_client import ProviderEngine

PUBLIC = "https://api.openai.com/v1"
PATHS = {
    "chat_completions": "chat/completions",
    "completions": "completions",
    "moderations": "moderations",
    "responses": "responses",
    "transcriptions": "audio/transcriptions",
}
_HEADS = {"chat_completions": "messages", "completions": "prompt"}
_HELD = "data:"
_SIGNATURES = {b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


@dataclass
class OpenAI(ProviderEngine):
    """OpenAI, where nothing is stored."""

    provider: str = "openai"
    endpoint: str = PUBLIC
    versioned = True

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the response in the names that the SDK's objects have; raise ``NoAnswer``."""
        task = api.rpartition(".")[2]
        url, query = self.address(task, request)
        if task == "transcriptions":
            if request.content is None:
                raise NotAsked(f"{self.provider} takes sound as a file, not by its address")
            fields = {**request.parameters, "response_format": "json"}
            file = {"file": _sound(request.content)}
            answer = self.http.upload(url, file, fields, self._key, query)
        else:
            answer = self.http.post(url, self._body(task, request), query, self._key)
        if task == "responses":
            answer = {**answer, "output": _said(answer.get("output"))}
        return by_schema(shape(api)[0], answer)

    def address(self, task: str, request: ApiRequest) -> tuple[str, dict[str, str]]:
        """Return where a task is asked: the address, and its query."""
        del request
        return f"{self.base}/{PATHS[task]}", {}

    def _body(self, task: str, request: ApiRequest) -> JsonObject:
        head = _HEADS.get(task, "input")
        body = dict(request.parameters)
        given = body.pop(head, None)
        if given is None:
            given = self._simple(task, request)
        elif _HELD in json.dumps(given):
            if request.content is None or json.dumps(given).count(f'"{_HELD}"') != 1:
                raise NotAsked("only one picture a conversation is at hand")
            picture = base64.b64encode(request.content).decode()
            given = _put(given, f"data:image/{_format(request.content)};base64,{picture}")
        if _addresses(given):
            self.expect_uris()
        return {**body, head: given, **({"store": False} if task == "responses" else {})}

    def _simple(self, task: str, request: ApiRequest) -> Json:
        if task == "chat_completions":
            return [{"role": "user", "content": request.text}]
        return request.text


def _said(output: Json) -> list[Json]:
    items = output if isinstance(output, list) else []
    return [i for i in items if isinstance(i, Mapping) and i.get("type", "message") == "message"]


def _put(value: Json, address: str) -> Json:
    if isinstance(value, Mapping):
        return {key: _put(item, address) for key, item in value.items()}
    if isinstance(value, list):
        return [_put(item, address) for item in value]
    return address if value == _HELD else value


def _addresses(value: Json) -> bool:
    """Return whether messages hold a picture by an address that is not its content."""
    if isinstance(value, Mapping):
        known = cast("Mapping[str, Any]", value)
        picture = known.get("image_url")
        url = picture.get("url") if isinstance(picture, Mapping) else picture
        held = url is None or str(url).startswith(_HELD)
        return not held or any(_addresses(item) for item in known.values())
    return isinstance(value, list) and any(_addresses(item) for item in value)


def _format(content: bytes) -> str:
    found = (name for start, name in _SIGNATURES.items() if content.startswith(start))
    return next(found, "png")


def _sound(content: bytes) -> tuple[str, bytes]:
    starts = {b"RIFF": "wav", b"fLaC": "flac", b"OggS": "ogg", b"\x1aE\xdf\xa3": "webm"}
    found = (name for start, name in starts.items() if content.startswith(start))
    kind = "m4a" if content[4:8] == b"ftyp" else next(found, "mp3")
    return f"sound.{kind}", content


VERSION = "2024-10-21"
_DEPLOYED = frozenset({"chat_completions", "completions", "transcriptions"})
_DEPLOYMENT = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass
class AzureOpenAI(OpenAI):
    """The resource at ``endpoint``, with OpenAI's own APIs; a model's name is a deployment's."""

    provider: str = "azure.openai"
    endpoint: str = ""
    versioned = False

    def answers(self, api: str) -> bool:
        """Return every API of OpenAI's."""
        return api.rpartition(".")[0] in {self.provider, "openai"}

    def address(self, task: str, request: ApiRequest) -> tuple[str, dict[str, str]]:
        """Return the address below the deployment; raise ``NotAsked``."""
        base = f"{self.base}/openai"
        if task == "responses":
            return f"{base}/v1/{PATHS[task]}", {}
        if task not in _DEPLOYED:
            raise NotAsked(f"Azure OpenAI has no {task}")
        model = str(request.parameters.get("model") or "")
        if _DEPLOYMENT.fullmatch(model) is None:
            raise NotAsked("Azure OpenAI needs the name of a deployment as the model")
        url = f"{base}/deployments/{quote(model)}/{PATHS[task]}"
        return url, {"api-version": VERSION}

    def authorisation(self, key: str) -> dict[str, str]:
        """Return the header that says who asks."""
        return {"api-key": key}
