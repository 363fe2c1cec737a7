"""Requests of ``google.genai``, and the answers they get."""

from __future__ import annotations

import importlib
import json
import re
from types import ModuleType
from typing import Any, List, Mapping, Optional

from ..protocol import api_calls
from .client_rules import ClientProject, ClientRule
from .described_apis import DescribedApis, failure
from .event_streams import Events, content_parts
from .genai_standins import TypesModule
from .other_providers import OtherProviders

_API = "gemini.generate_content"
_PATH = re.compile(r":(generateContent|streamGenerateContent)$")


class GenaiSdk:
    """Patches the SDK where it sends its requests."""

    def __init__(self, described: DescribedApis) -> None:
        self._described = described
        self._other = OtherProviders(described)

    def api_client(self, module: ModuleType) -> None:
        """Patch ``google.genai._api_client``."""
        names = vars(module)
        client: Any = names.get("BaseApiClient") or names["ApiClient"]
        kind: Any = names.get("SdkHttpResponse")

        def request(_: Any, method: Any, path: str, body: Any, *__: Any, **___: Any) -> Any:
            del method
            return sent(self._answer(path, body))

        def sent(wire: Any) -> Any:
            return wire if kind is None else kind(headers={}, body=json.dumps(wire))

        async def request_later(*args: Any, **options: Any) -> Any:
            return request(*args, **options)

        def streamed(_: Any, method: Any, path: str, body: Any, *__: Any, **___: Any) -> Any:
            del method
            parts = content_parts(self._answer(path, body))
            error = _failure(500) if "error" in parts[-1] else None
            return Events([sent(part) for part in parts if "error" not in part], error)

        async def streamed_later(*args: Any, **options: Any) -> Any:
            return streamed(*args, **options)

        client.request, client.async_request = request, request_later
        client.request_streamed, client.async_request_streamed = streamed, streamed_later

    def _answer(self, path: str, body: Mapping[str, Any]) -> Any:
        entry = self._described.named(_API)
        where = path.partition("?")[0]
        found = _PATH.search(where)
        if entry is None or found is None:
            raise _unreachable(where)
        if getattr(api_calls.session().supplier, "symbolic", False):
            raise api_calls.session().refuse("an API was asked by bytes, which hold no unknowns")
        given = {key: value for key, value in body.items() if not key.startswith("_")}
        model = where[: found.start()].rpartition("/")[2]
        given = {"model": model, "stream": found.group(1).startswith("stream"), **given}
        try:
            return self._other.wire(entry, self._other.called(entry, (), given))
        except api_calls.ServiceFailure as failed:
            raise _failure(failed.status) from None


def _failure(status: Optional[int]) -> Exception:
    """Return what the SDK raises for a status; of its transport for no answer in time."""
    errors = importlib.import_module("google.genai.errors")
    http = vars(errors).get("httpx2") or importlib.import_module("httpx")
    request = http.Request("POST", "https://generativelanguage.googleapis.com")
    if status is None:
        late: Exception = http.ReadTimeout("The read operation timed out", request=request)
        return late
    said = failure(status, "gemini")
    kind: Any = errors.ClientError if status < 500 else errors.ServerError
    refused: Exception = kind(status, said, http.Response(status, json=said, request=request))
    return refused


def _unreachable(path: str) -> Exception:
    name = f"google.genai.{path.rpartition(':')[2] or path}"
    return api_calls.unanswered(name, ConnectionError(f"{name} is no described ML API"))


def genai_rules(project: ClientProject) -> List[ClientRule]:
    """Return the rules for ``google.genai``, and for the types of requests where it is missing."""
    sdk = GenaiSdk(DescribedApis(project.entries, project.schema))
    return [
        ClientRule(r"google\.genai\._api_client", patch=sdk.api_client),
        ClientRule(r"google\.(genai|generativeai)\.types", standin=TypesModule),
    ]
