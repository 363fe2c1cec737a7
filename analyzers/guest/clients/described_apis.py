"""Questions about what the catalogue describes, for the clients of any provider."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from ..protocol import api_calls
from .schema_fitting import SchemaMismatch, fitted
from .schema_messages import Schema

ELEMENTS = "elements"
FAULT = "Error"
DELIVERY = api_calls.DELIVERY
Entry = Mapping[str, Any]
Asked = Callable[[api_calls.ApiRequest], api_calls.Answer]
"""Answers a question: in the session in progress, or with a recorded answer."""
Source = Tuple[Optional[bytes], Optional[str], Optional[str]]


class DescribedApis:
    """The catalogue's entries, and the answers to questions about them.

    An answer is one message of the entry's ``schema``.  Where the input field
    is a list that is asked ``each``, it is one element of the first list in
    the entry's ``result``; where the API answers with a bare list otherwise, it is
    ``{"elements": [...]}``.
    """

    def __init__(
        self, entries: Sequence[Entry], schema: Schema, asked: Asked = api_calls.ask
    ) -> None:
        self.schema = schema
        self._asked = asked
        self._named = {str(entry["name"]): entry for entry in entries}
        self._methods: Dict[str, Entry] = {}
        for entry in entries:
            for method in entry.get("methods") or ():
                self._methods.setdefault(str(method), entry)

    def named(self, name: str) -> Optional[Entry]:
        """The entry of that name."""
        return self._named.get(name)

    def method(self, *names: str) -> Optional[Entry]:
        """The entry that has one of these dotted methods."""
        return next((self._methods[name] for name in names if name in self._methods), None)

    def ask(self, entry: Entry, request: api_calls.ApiRequest) -> Dict[str, Any]:
        """The answer to one question; raises ``NoAnswer`` where it does not fit."""
        answer = self._asked(request)
        if not api_calls.session().faithful:
            return dict(answer)
        message, listed = self.shape(entry)
        try:
            if not listed:
                around = {name: answer[name] for name in (FAULT, DELIVERY) if name in answer}
                return {**fitted(self.schema, message, answer), **around}
            elements = answer.get(ELEMENTS) or []
            return {ELEMENTS: [fitted(self.schema, message, element) for element in elements]}
        except SchemaMismatch as misfit:
            reason = f"the answer does not fit {entry['name']}: {misfit}"
            raise api_calls.session().refuse(reason) from misfit

    def shape(self, entry: Entry) -> Tuple[str, bool]:
        """The message that an answer is, and whether it is a list of them."""
        message, result = str(entry.get("schema") or ""), str(entry["result"])
        if not asked_each(entry):
            return message, result.startswith("[]")
        for step in filter(None, result.partition("[]")[0].split(".")):
            message = self.schema.messages.get(message, {}).get(step, {}).get("type", "")
        return message, False


def taken_delivery(wire: Any) -> Dict[str, Any]:
    """Take out of an answer's JSON how it is brought; nothing for the usual way."""
    return dict(wire.pop(DELIVERY, None) or {}) if isinstance(wire, dict) else {}


_LOADING = 503
_KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error",
    529: "overloaded_error",
}  # fmt: skip
_CODES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}


def failure(status: int, provider: str = "") -> Dict[str, Any]:
    """The JSON with which a service refuses a request; that of language models where unknown."""
    said, kind = f"The request failed with status {status}.", _KINDS.get(status, "api_error")
    code = _CODES.get(status, "INTERNAL")
    errors: Mapping[str, Dict[str, Any]] = {
        "google": {"error": {"code": status, "message": said, "status": code}},
        "gemini": {"error": {"code": status, "message": said, "status": code}},
        "azure": {"error": {"code": str(status), "message": said}},
        "aws": {"__type": aws_code(status), "message": said},
        "huggingface": {"error": said},
    }
    if status == _LOADING:
        errors["huggingface"].update(error="The model is currently loading", estimated_time=20.0)
    other = {"type": "error", "error": {"message": said, "type": kind, "code": kind}}
    return errors.get(provider.partition(".")[0], other)


_REFUSALS: Mapping[int, Sequence[str]] = {
    400: (
        *("ValidationException", "InvalidRequestException", "InvalidParameterException"),
        *("InvalidParameterValueException", "BadRequestException"),
    ),
    429: (
        *("ThrottlingException", "ProvisionedThroughputExceededException"),
        *("TooManyRequestsException", "LimitExceededException"),
    ),
    500: ("InternalServerException", "InternalServerError", "InternalFailureException"),
}


def aws_code(status: int, declared: Sequence[str] = ()) -> str:
    """Return the code of AWS's error of a status: one that the operation declares, if any."""
    codes = _REFUSALS.get(status, _REFUSALS[500])
    return next((code for code in codes if code in declared), codes[0])


def asked_each(entry: Entry) -> bool:
    """Return whether the elements of the input are asked about one by one."""
    return bool((entry.get("input") or {}).get("each"))


# ------------------------------------------------------------------- sources


def source(value: Any, kind: str) -> Source:
    """Return the content, text and URI (each or ``None``) that an input means."""
    if value is None:
        return None, None, None
    if kind == "text":
        return None, value, None
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), None, None
    if isinstance(value, (str, os.PathLike)):
        return _located(os.fspath(value))
    saved = _saved(value)
    return (saved, None, None) if saved is not None else (None, None, None)


def _located(text: str) -> Source:
    if text.startswith("data:"):
        return decoded(text.partition(",")[2]), None, None
    if "://" in text[:20]:
        return None, None, text
    try:
        return Path(text).read_bytes(), None, None
    except (OSError, ValueError):
        content = decoded(text)
        return (content, None, None) if content is not None else (None, None, text)


def decoded(text: str) -> Optional[bytes]:
    """The bytes that a text in base 64 is of; ``None`` where it is no such text."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _saved(value: Any) -> Optional[bytes]:
    import io

    if hasattr(value, "save"):
        file = io.BytesIO()
        value.save(file, format="PNG")
        return file.getvalue()
    made = getattr(value, "tobytes", None)
    return bytes(made()) if made is not None else None


def plain(value: Any) -> Any:
    """Options as JSON: contents by their digest, what is unset left out."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"sha256:{hashlib.sha256(bytes(value)).hexdigest()}"
    if isinstance(value, (str, int, float, bool)):
        return getattr(value, "value", value)
    return str(getattr(value, "value", value))
