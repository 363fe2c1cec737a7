"""Providers whose REST bodies are JSON: each as its own mapping has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Callable, Dict, Sequence, Tuple

from ..network.routes import HttpRequest, Route
from .aws import Aws
from .azure import Azure
from .described_apis import DescribedApis, Entry
from .huggingface import HubInference
from .openai import OpenAI, events
from .other_providers import OtherProviders
from .schema_messages import Schema

_FORM = "multipart/form-data"


class JsonProviders:
    """Turns requests into questions and canonical answers into bodies.

    A body is what JSON holds, or the bytes of a stream of events.
    """

    def __init__(self, entries: Sequence[Entry], schema: Schema) -> None:
        described = DescribedApis(entries, schema)
        self._aws = Aws(described)
        self._azure = Azure(described)
        self._openai = OpenAI(described)
        self._inference = HubInference(described)
        self._other = OtherProviders(described)
        self._by: Dict[str, Callable[[Route, HttpRequest], Any]] = {
            "aws": self._of_aws,
            "azure": self._of_azure,
            "openai": self._of_openai,
            "huggingface": self._of_huggingface,
        }

    def answer(self, route: Route, call: HttpRequest) -> Any:
        """The body that answers a request; raises ``Refused``, or ``ValueError``."""
        answer = self._by.get(route.provider.partition(".")[0], self._of_other)
        return answer(route, call)

    def _of_aws(self, route: Route, call: HttpRequest) -> Any:
        return self._aws.answer(route.entry, _parameters(call), in_base64=True)

    def _of_azure(self, route: Route, call: HttpRequest) -> Any:
        if route.provider == "azure.speech":
            return self._other.sent(route.entry, call.url, call.body)
        body = decoded_body(call) if _is_json(call) else call.body
        found = self._azure.wire(call.url, body)
        return self._azure.older(route.entry, call.url, body) if found is None else found

    def _of_openai(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call) if _is_json(call) else _form(call)
        wire = self._openai.wire(route.entry, self._openai.answer(route.entry, body))
        return events(wire) if body.get("stream") is True else wire

    def _of_huggingface(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call) if _is_json(call) else bytes(call.body or b"")
        return self._inference.posted(route.entry, call.url, body)

    def _of_other(self, route: Route, call: HttpRequest) -> Any:
        body = _parameters(call) if _is_json(call) else bytes(call.body or b"")
        return self._other.posted(route.entry, body)


def decoded_body(call: HttpRequest) -> Any:
    """The body of a request as JSON; raises ``ValueError`` where it is none."""
    body = call.body
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    return json.loads(body) if isinstance(body, str) else body


def _parameters(call: HttpRequest) -> Dict[str, Any]:
    body = decoded_body(call)
    if not isinstance(body, Mapping):
        raise ValueError("the request is no JSON object")  # noqa: TRY004 - as json does
    return dict(body)


def _is_json(call: HttpRequest) -> bool:
    return isinstance(call.body, (str, Mapping)) or "json" in call.media or _looks_so(call)


def _looks_so(call: HttpRequest) -> bool:
    """Whether a body of no media type, or of a form's (urllib's default), begins as JSON."""
    untold = call.media in ("", "application/x-www-form-urlencoded")
    return untold and bytes(call.body or b"").lstrip()[:1] in (b"{", b"[")


def _form(call: HttpRequest) -> Dict[str, Any]:
    """The fields of a form; a file as its name and content."""
    if call.media != _FORM:
        raise ValueError("the request is neither JSON nor a form")
    from email import message_from_bytes, policy

    head = f"Content-Type: {call.headers['content-type']}\r\n\r\n".encode()
    fields: Dict[str, Any] = {}
    for part in message_from_bytes(head + bytes(call.body), policy=policy.HTTP).iter_parts():
        name, value = _part(part)
        fields[name] = value
    return fields


def _part(part: Any) -> Tuple[str, Any]:
    content = bytes(part.get_payload(decode=True) or b"")
    name = str(part.get_param("name", "", header="content-disposition"))
    file = part.get_filename()
    return name, content.decode("utf-8", "replace") if file is None else (file, content)
