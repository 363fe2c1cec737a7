"""Answers of language models as the events of a stream, the text in two parts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Dict, List, Optional

from .described_apis import DELIVERY, failure, taken_delivery

Event = Mapping[str, Any]


class Events:
    """The events of one answer, read once or more, in either way; closing it does nothing.

    Behind them ``error`` is raised, if there is one.
    """

    def __init__(self, events: Iterable[Any], error: Optional[Exception] = None) -> None:
        self._events = list(events)
        self._error = error

    def __iter__(self) -> Iterator[Any]:
        yield from self._events
        if self._error is not None:
            raise self._error

    async def __aiter__(self) -> AsyncIterator[Any]:
        for each in self:
            yield each

    def close(self) -> None:
        """Nothing: there is no connection."""


def server_sent(events: Iterable[Event], *, named: bool = False, done: bool = False) -> bytes:
    """Return events as bytes; ``named`` by their types, or with ``done`` at the end."""
    lines: List[str] = []
    for each in events:
        name = f"event: {each['type']}\n" if named else ""
        lines.append(f"{name}data: {json.dumps(each)}\n\n")
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def broken_off(events: Iterable[Event], error: Event) -> List[Event]:
    """Return the first half of events, and the error that ends them."""
    whole = list(events)
    return [*whole[: (len(whole) + 1) // 2], error]


def halves(text: Any) -> List[str]:
    """Return a text in two parts, none of them empty."""
    whole = str(text or "")
    return [part for part in (whole[: len(whole) // 2], whole[len(whole) // 2 :]) if part]


# ------------------------------------------------------------------ OpenAI's


def completion_chunks(wire: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Return a completion's chunks: the role, the text in two parts, how it ends.

    A content filter's results come before them, and the tokens used behind, without choices.
    """
    wire = dict(wire)
    brought = taken_delivery(wire)
    kind = str(wire.get("object", "")).replace("chat.completion", "chat.completion.chunk")
    steps = [list(_choice_deltas(choice)) for choice in wire.get("choices") or []]
    count = max(map(len, steps), default=1)
    chunks = [[step[n] for step in steps if n < len(step)] for n in range(count)]
    if brought.get("padded") and chunks:
        ends = ({**each, "delta": {"content": "", **each.get("delta", {})}} for each in chunks[-1])
        chunks[-1] = list(ends)
    usage = wire.pop("usage", None) if brought else None
    made = [{**wire, "object": kind, "choices": choices} for choices in chunks]
    if brought.get("filtered"):
        made.insert(0, {**wire, "object": kind, "choices": [], "prompt_filter_results": []})
    if brought.get("usage"):
        made.append({**wire, "object": kind, "choices": [], "usage": usage})
    return made


def _choice_deltas(choice: Event) -> Iterator[Event]:
    if "message" not in choice:
        yield choice
        return
    around = {**{k: v for k, v in choice.items() if k != "message"}, "finish_reason": None}
    message = choice["message"]
    yield {**around, "delta": {"role": "assistant", "content": ""}}
    for name in ("content", "refusal"):
        for part in halves(message.get(name)):
            yield {**around, "delta": {name: part}}
    calls = [{"index": n, **call} for n, call in enumerate(message.get("tool_calls") or ())]
    if calls:
        yield {**around, "delta": {"tool_calls": calls}}
    yield {**around, "delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}


def response_events(wire: Event) -> List[Event]:
    """Return the events of a response: each output item in parts, and the whole at the end.

    The last event says that it is completed, incomplete or failed; of one that is brought
    ``broken``, an event of type ``error`` ends the first half.

    Source: https://platform.openai.com/docs/api-reference/responses-streaming
    """
    wire = dict(wire)
    brought = taken_delivery(wire)
    items: List[Dict[str, Any]] = wire.get("output") or []
    begun = {**wire, "status": "in_progress", "output": []}
    made: List[Dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(items):
        about = {"output_index": index}
        empty: Dict[str, Any] = {"content": []} if "content" in item else {}
        started = {**item, **empty, "status": "in_progress"}
        made.append({"type": "response.output_item.added", **about, "item": started})
        made += _item_events(item, {**about, "item_id": item.get("id")})
        made.append({"type": "response.output_item.done", **about, "item": item})
    made.append({"type": f"response.{wire.get('status') or 'completed'}", "response": wire})
    whole = broken_off(made, _ERROR) if brought.get("broken") else made
    return [{**each, "sequence_number": number} for number, each in enumerate(whole)]


_ERROR = {"type": "error", "code": "server_error", "message": "It failed.", "param": None}


def _item_events(item: Event, about: Event) -> Iterator[Dict[str, Any]]:
    if item.get("type") == "function_call":
        for half in halves(item.get("arguments")):
            yield {"type": "response.function_call_arguments.delta", **about, "delta": half}
        said = {"arguments": item.get("arguments"), "name": item.get("name")}
        yield {"type": "response.function_call_arguments.done", **about, **said}
    for index, part in enumerate(item.get("content") or ()):
        field = "refusal" if "refusal" in part else "text"
        kind = "response.refusal" if field == "refusal" else "response.output_text"
        more: Dict[str, Any] = {} if field == "refusal" else {"logprobs": []}
        where, text = {**about, "content_index": index}, part.get(field)
        yield {"type": "response.content_part.added", **where, "part": {**part, field: ""}}
        for half in halves(text):
            yield {"type": f"{kind}.delta", **where, "delta": half, **more}
        yield {"type": f"{kind}.done", **where, field: text, **more}
        yield {"type": "response.content_part.done", **where, "part": part}


# --------------------------------------------------------------- Anthropic's

_GROWING = ("text", "thinking", "signature", "input")
"""Fields of a block that begin empty in a stream."""


def message_events(wire: Event) -> Iterator[Dict[str, Any]]:
    """Yield the message without its blocks, each block in parts, and how the message ends.

    Where it is brought ``cut``, the limit of tokens ends it within a tool's input.
    """
    cut = (wire.get(DELIVERY) or {}).get("cut")
    wire = {k: v for k, v in wire.items() if k != DELIVERY}
    usage: Mapping[str, Any] = wire.get("usage") or {}
    blocks: List[Dict[str, Any]] = wire.get("content") or []
    begun = {**wire, "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(blocks):
        deltas = list(_block_deltas(block))[: -1 if cut else None]
        empty = {n: type(v)() for n, v in block.items() if n in _GROWING and v is not None}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {name: wire.get(name) for name in ("stop_reason", "stop_sequence")}
    ended = {**ended, "stop_reason": "max_tokens"} if cut else ended
    used = {"output_tokens": usage.get("output_tokens") or 0}
    yield {"type": "message_delta", "delta": ended, "usage": used}
    yield {"type": "message_stop"}


def _block_deltas(block: Event) -> Iterator[Dict[str, Any]]:
    """The parts of a block: its text, thoughts or JSON in two, split in a word."""
    kind = block.get("type")
    if kind == "tool_use":
        for part in halves(json.dumps(block.get("input") or {})):
            yield {"type": "input_json_delta", "partial_json": part}
    for part in halves(block.get(str(kind))) if kind in ("text", "thinking") else ():
        yield {"type": f"{kind}_delta", str(kind): part}
    if kind == "thinking":
        yield {"type": "signature_delta", "signature": block.get("signature") or ""}


# ------------------------------------------------------------------ Cohere's


def cohere_events(wire: Event) -> Iterator[Event]:
    """Yield the events of a chat, of either version.

    Source: https://docs.cohere.com/v2/docs/streaming
    """
    if "text" in wire:
        for half in halves(wire["text"]):
            yield {"event_type": "text-generation", "is_finished": False, "text": half}
        ended = {"is_finished": True, "finish_reason": "COMPLETE", "response": wire}
        yield {"event_type": "stream-end", **ended}
        return
    message: Mapping[str, Any] = wire.get("message") or {}
    begun = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    yield {"type": "message-start", "id": wire.get("id"), "delta": {"message": begun}}
    for half in halves(message.get("tool_plan")):
        yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": half}}}
    for index, block in enumerate(message.get("content") or ()):
        kind = "thinking" if block.get("type") == "thinking" else "text"
        yield from _cohere_part("content", index, block, (kind,))
    for index, call in enumerate(message.get("tool_calls") or ()):
        yield from _cohere_part("tool-call", index, call, ("function", "arguments"))
    ended = {"finish_reason": wire.get("finish_reason"), "usage": wire.get("usage")}
    yield {"type": "message-end", "delta": ended}


def _cohere_part(kind: str, index: int, part: Event, path: Sequence[str]) -> Iterator[Event]:
    """Yield the events of a block or a call, whose text at a path of one or two names grows."""
    name, about = kind.replace("tool-call", "tool_calls"), {"index": index}
    *outer, last = path

    def said(text: str) -> Dict[str, Any]:
        inner = {last: text}
        return {"message": {name: {outer[0]: inner} if outer else inner}}

    grown = part[outer[0]] if outer else part
    begun = {**part, outer[0]: {**grown, last: ""}} if outer else {**part, last: ""}
    yield {"type": f"{kind}-start", **about, "delta": {"message": {name: begun}}}
    for half in halves(grown.get(last)):
        yield {"type": f"{kind}-delta", **about, "delta": said(half)}
    yield {"type": f"{kind}-end", **about}


# ------------------------------------------------------------------ Google's


def content_parts(wire: Event) -> List[Event]:
    """Return an answer of Gemini in parts: half of its text, then the rest and the end.

    Of one that is brought ``broken``, an error stands for the second half.
    """
    wire = dict(wire)
    brought = taken_delivery(wire)
    parts = list(_halved_content(wire))
    return broken_off(parts, failure(500, "gemini")) if brought.get("broken") else parts


def _halved_content(wire: Event) -> Iterator[Event]:
    candidates: List[Any] = wire.get("candidates") or []
    first: Any = candidates[0] if candidates else {}
    content: Mapping[str, Any] = first.get("content") or {}
    parts: List[Any] = content.get("parts") or []
    text = parts[0].get("text") if parts else None
    if not (isinstance(text, str) and len(text) > 1):
        yield wire
        return
    for half, ends in zip(halves(text), (False, True)):
        rest = parts[1:] if ends else []
        said = {**content, "parts": [{**parts[0], "text": half}, *rest]}
        around = first if ends else {"index": 0}
        yield {**wire, "candidates": [{**around, "content": said}]}


# --------------------------------------------------------------------- AWS's


def converse_events(wire: Event) -> Iterator[Event]:
    """Yield the events of a conversation on Bedrock.

    Where it is brought ``cut``, the limit of tokens ends it within a tool's input.

    Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
    """
    output: Mapping[str, Any] = wire.get("output") or {}
    message: Mapping[str, Any] = output.get("message") or {}
    cut = (wire.get(DELIVERY) or {}).get("cut")
    yield {"messageStart": {"role": message.get("role") or "assistant"}}
    blocks: List[Dict[str, Any]] = message.get("content") or []
    for index, block in enumerate(blocks):
        about = {"contentBlockIndex": index}
        if "toolUse" in block:
            begun = {k: v for k, v in block["toolUse"].items() if k != "input"}
            yield {"contentBlockStart": {"start": {"toolUse": begun}, **about}}
        for delta in list(_converse_deltas(block))[: -1 if cut else None]:
            yield {"contentBlockDelta": {"delta": delta, **about}}
        yield {"contentBlockStop": about}
    reason = "max_tokens" if cut else wire.get("stopReason") or "end_turn"
    yield {"messageStop": {"stopReason": reason}}
    yield {"metadata": {name: wire[name] for name in ("usage", "metrics") if name in wire}}


def _converse_deltas(block: Event) -> Iterator[Event]:
    for part in halves(block.get("text")):
        yield {"text": part}
    if "toolUse" in block:
        for part in halves(json.dumps(block["toolUse"].get("input") or {})):
            yield {"toolUse": {"input": part}}
    reasoning: Mapping[str, Any] = block.get("reasoningContent") or {}
    thought: Mapping[str, Any] = reasoning.get("reasoningText") or {}
    for part in halves(thought.get("text")):
        yield {"reasoningContent": {"text": part}}
    if thought.get("signature"):
        yield {"reasoningContent": {"signature": thought["signature"]}}
