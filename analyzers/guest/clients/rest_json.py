"""Providers whose REST bodies are JSON in the words of the catalogue's schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, List, Tuple

from .. import calls
from ..messages import Schema
from ..network.routes import Call, Route
from ..spelling import camel
from .aws import Aws
from .described import ELEMENTS, Described, asked_each, decoded, plain, source

_FORM = "multipart/form-data"


class Json:
    """Turns requests into questions and canonical answers into bodies."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def answer(self, route: Route, call: Call) -> Any:
        """The body that answers a request; raises ``Refused``."""
        described = Described([route.entry], self._schema)
        if route.provider.startswith("aws."):
            params = decoded_body(call)
            return Aws(described).answer(route.entry, params, in_base64=True)
        answers = [described.ask(route.entry, asked) for asked in _questions(route, call)]
        return _body(route, answers, self._schema)


def decoded_body(call: Call) -> Any:
    """The body of a request as JSON; raises ``ValueError`` where it is none."""
    body = call.body
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    return json.loads(body) if isinstance(body, str) else body


# ---------------------------------------------------------------- questions


def _questions(route: Route, call: Call) -> List[calls.Request]:
    described = route.entry.get("input") or {}
    kind, field = str(described.get("kind")), str(described.get("field", ""))
    if kind != "text" and not _is_json(call):
        content, options = _upload(call)
        return [calls.Request(route.api, content, None, None, plain(options))]
    body = decoded_body(call)
    if not isinstance(body, Mapping):
        raise calls.session().refuse(f"{route.api}: the request is no JSON object")
    head = field.partition(".")[0].replace("[]", "")
    if kind != "text" and head not in body:
        head = next((name for name in ("url", "inputs") if name in body), head)
    options = plain({key: value for key, value in body.items() if key != head})
    if not asked_each(route.entry):
        return [_question(route, body.get(head), options)]
    return [_question(route, _text(item), options) for item in body.get(head) or []]


def _question(route: Route, value: Any, options: Dict[str, Any]) -> calls.Request:
    kind = str((route.entry.get("input") or {}).get("kind"))
    if kind == "text":
        return calls.Request(route.api, None, _said(value), None, options)
    text = value if isinstance(value, str) else ""
    content = None if "://" in text[:20] else decoded(text)
    if content is None:
        return calls.Request(route.api, None, None, text or None, options)
    return calls.Request(route.api, *source(content, kind), options)


def _text(item: Any) -> Any:
    return item.get("text") if isinstance(item, Mapping) else item


def _said(value: Any) -> Any:
    """A text, or what the messages of a conversation say, one a line."""
    if isinstance(value, list):
        return "\n".join(str(_said(item)) for item in value)
    if isinstance(value, Mapping):
        return _said(value.get("content", value.get("text", "")))
    return value


def _is_json(call: Call) -> bool:
    return isinstance(call.body, (str, Mapping)) or "json" in call.media


def _upload(call: Call) -> Tuple[Any, Dict[str, str]]:
    """The file and the fields of a form, or the body as it is."""
    body = bytes(call.body or b"")
    if call.media != _FORM:
        return body, {}
    from email import message_from_bytes, policy

    head = f"Content-Type: {call.headers['content-type']}\r\n\r\n".encode()
    content, fields = b"", {}
    for part in message_from_bytes(head + body, policy=policy.HTTP).iter_parts():
        payload = part.get_payload(decode=True) or b""
        name = str(part.get_param("name", "", header="content-disposition"))
        if part.get_filename():
            content = bytes(payload)
        else:
            fields[name] = bytes(payload).decode("utf-8", "replace")
    return content, fields


# ------------------------------------------------------------------ answers


def _body(route: Route, answers: List[Dict[str, Any]], schema: Schema) -> Any:
    message = str(route.entry.get("schema") or "")
    written = answers
    if route.provider.startswith("azure."):
        written = [_wire(schema, message, answer) for answer in answers]
    if asked_each(route.entry):
        documents = [{"id": str(n), **each} for n, each in enumerate(written, 1)]
        return {"documents": documents, "errors": [], "modelVersion": "assayer"}
    return written[0].get(ELEMENTS, written[0])


def _wire(schema: Schema, message: str, value: Any) -> Any:
    """An answer under the names that the service itself writes."""
    if isinstance(value, (list, tuple)):
        return [_wire(schema, message, item) for item in value]
    if not isinstance(value, Mapping):
        return value
    fields = schema.messages.get(message, {})
    written: Dict[str, Any] = {}
    for name, item in value.items():
        field = fields.get(name) or {}
        written[field.get("wire") or camel(name)] = _wire(schema, field.get("type", ""), item)
    return written
