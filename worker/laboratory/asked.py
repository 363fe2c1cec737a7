"""What APIs were asked about: as the broker saw it, or as the guest says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from analyzers import catalogue
from analyzers.vocabulary import Asked, InputKind
from worker.broker import ApiRequest

LONGEST_TEXT = 4000


def asked_by(api: str, request: ApiRequest) -> Iterator[Asked]:
    """The inputs of a question that the broker has seen: a file, a text, an address."""
    if request.content is not None:
        yield _asked(api, "content", request.content, None)
    for part, text in (("text", request.text), ("uri", request.uri or None)):
        if text is not None:
            yield _asked(api, part, text.encode("utf-8", "replace"), text)


def asked_of(frame: Mapping[str, Any]) -> Asked:
    """An input of a question from its frame, which the guest has sent."""
    api = frame["api"]
    return Asked(api, _kind(api, frame["part"]), frame["digest"], frame["size"], frame.get("text"))


def _asked(api: str, part: str, sent: bytes, text: str | None) -> Asked:
    digest = hashlib.sha256(sent).hexdigest()
    return Asked(api, _kind(api, part), digest, len(sent), text and text[:LONGEST_TEXT])


def _kind(api: str, part: str) -> InputKind:
    """What a part of a question is to a person: a file is what the API is asked about."""
    if part == "text":
        return InputKind.TEXT
    described = catalogue.load().apis.get(api)
    if part == "uri" or described is None or described.input is None:
        return InputKind.VALUE
    kind = InputKind(described.input.kind)
    return InputKind.VALUE if kind is InputKind.TEXT else kind
