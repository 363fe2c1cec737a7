"""What a run has asked ML APIs about, as the host is told."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .calls import Exchange, Request

MOST = 100
LONGEST = 4000


def asked_about(exchanges: Sequence[Exchange]) -> List[Dict[str, Any]]:
    """The inputs of the questions in order, at most ``MOST``; texts are cut at ``LONGEST``."""
    found: List[Dict[str, Any]] = []
    for exchange in exchanges:
        if len(found) >= MOST:
            break
        found += _inputs(exchange.request)
    return found[:MOST]


def _inputs(request: Request) -> Iterator[Dict[str, Any]]:
    for part, value in _parts(request):
        told: Dict[str, Any] = {"api": request.api, "part": part}
        if isinstance(value, bytes):
            told["digest"], told["size"] = request.content_digest, len(value)
        else:
            encoded = value.encode("utf-8", "replace")
            told["digest"], told["size"] = hashlib.sha256(encoded).hexdigest(), len(encoded)
            told["text"] = value[:LONGEST]
        yield told


def _parts(request: Request) -> Iterator[Tuple[str, Any]]:
    """A file as bytes, else as the text that stands for it."""
    if request.content is not None:
        given = isinstance(request.content, (bytes, bytearray, memoryview))
        yield "content", bytes(request.content) if given else str(request.content)
    if request.text is not None:
        yield "text", str(request.text)
    if request.uri:
        yield "uri", str(request.uri)
