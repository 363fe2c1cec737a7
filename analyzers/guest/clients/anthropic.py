"""Requests of Anthropic's clients, and the answers they get."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Optional

from .client_rules import ClientProject, ClientRule
from .described_apis import DescribedApis, Entry
from .openai import OpenAISdk
from .other_providers import OtherProviders

_PATH = "/messages"
_GROWING = ("text", "thinking", "signature", "input")
"""Fields of a block that begin empty in a stream."""


class Anthropic:
    """Answers the requests that the catalogue describes."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described
        self._other = OtherProviders(described)

    def path(self, url: str) -> Optional[Entry]:
        """The description of what answers below the path of a URL."""
        is_known = url.partition("?")[0].endswith(_PATH)
        return self.described.named("anthropic.messages") if is_known else None

    def answer(self, entry: Entry, body: Mapping[str, Any]) -> Dict[str, Any]:
        """Return the canonical response to a request's body."""
        return dict(self._other.called(entry, (), body))

    def wire(self, entry: Entry, answer: Mapping[str, Any]) -> Any:
        """The JSON that says so."""
        return self._other.wire(entry, answer)

    def events(self, entry: Entry, wire: Mapping[str, Any]) -> Optional[bytes]:
        """The events of a stream that say so."""
        del entry
        told = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in _events(wire))
        return "".join(told).encode()


def _events(wire: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    """The message without its blocks, each block in parts, and how the message ends."""
    usage: Mapping[str, Any] = wire.get("usage") or {}
    blocks: List[Dict[str, Any]] = wire.get("content") or []
    begun = {**wire, "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(blocks):
        deltas = list(_deltas(block))
        empty = {n: type(v)() for n, v in block.items() if n in _GROWING and v is not None}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {name: wire.get(name) for name in ("stop_reason", "stop_sequence")}
    used = {"output_tokens": usage.get("output_tokens") or 0}
    yield {"type": "message_delta", "delta": ended, "usage": used}
    yield {"type": "message_stop"}


def _deltas(block: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
    """The parts of a block: its text, thoughts or JSON in two, split in a word."""
    kind = block.get("type")
    if kind == "tool_use":
        for part in _halves(json.dumps(block.get("input") or {})):
            yield {"type": "input_json_delta", "partial_json": part}
    for part in _halves(block.get(str(kind))) if kind in ("text", "thinking") else ():
        yield {"type": f"{kind}_delta", str(kind): part}
    if kind == "thinking":
        yield {"type": "signature_delta", "signature": block.get("signature") or ""}


def _halves(text: Any) -> List[str]:
    whole = str(text or "")
    return [part for part in (whole[: len(whole) // 2], whole[len(whole) // 2 :]) if part]


def anthropic_rules(project: ClientProject) -> List[ClientRule]:
    """Return the rules for ``anthropic``; where it is not there, it is as any described library."""
    sdk = OpenAISdk(Anthropic(DescribedApis(project.entries, project.schema)), "anthropic")
    return [
        ClientRule(r"anthropic\._base_client", patch=sdk.base_client),
        ClientRule(r"anthropic\.(_client|lib\.(bedrock|vertex)\._client)", patch=sdk.clients),
    ]
