"""Shapes in which a language model may answer a request, each made where the request allows it.

A script's answer ``{"shape": name, "of": answer}`` is replaced by that answer in the shape, when
the question is known: a call of a tool where tools are offered, a block of thoughts where
thinking is on.  Where the request does not allow the shape, the answer stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, Optional, Protocol, Sequence

from ..clients.described_apis import DELIVERY
from ..protocol.api_calls import Answer, ApiRequest, RecordedAnswers
from .answer_models.chat_answers import (
    CALLED,
    CHAT,
    COHERE,
    CONTENT,
    CONVERSE,
    CUT,
    HUB,
    INCOMPLETE,
    MESSAGE,
    REFUSAL,
    REFUSED,
    RESPONSE,
)
from .structured_answers import (
    asks_for_json,
    has_limit,
    has_schema,
    has_short_limit,
    is_strict,
    may_refuse,
    shaped,
)

SHAPE, OF = "shape", "of"
_THOUGHT = "The question is short, so I answer it at once."
_SIGNATURE = "c2lnbmVk"
_LOOKING = "Let me look that up."
_SAYING = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": _LOOKING, "annotations": []}],
}


class ShapedAnswers(RecordedAnswers):
    """Recorded answers, some of which take the shape that they name."""

    def __call__(self, request: ApiRequest) -> Answer:
        """Return the answer to the question, or the next answer of the API."""
        answer = super().__call__(request)
        named = SHAPE in answer and OF in answer
        return in_shape(answer[SHAPE], request, answer[OF]) if named else answer


def in_shape(name: str, request: ApiRequest, answer: Answer) -> Answer:
    """Return an answer in shapes, one after the other; each only where the request allows it."""
    for each in name.split():
        make = _SHAPES.get(request.api, {}).get(each) or _EVERYWHERE.get(each)
        made = None if make is None else make(request, json.loads(json.dumps(answer)))
        answer = answer if made is None else made
    return answer


class AnyTurn(Protocol):
    """A model of the turns of one API."""

    def answer(self, knobs: Any) -> Answer:
        """Return the answer with a turn."""
        ...


Make = Callable[[ApiRequest, Dict[str, Any]], Optional[Answer]]


def _plain(model: AnyTurn, at: Sequence[Any]) -> Make:
    """Return what makes the answer with the same text that fits the request."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        return model.answer(shaped(str(_at(answer, at) or ""), request, is_obedient=True))

    return make


def _called(model: AnyTurn) -> Make:
    """Return what makes a call of the first tool, with no text beside it."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        del answer
        turn = shaped((CALLED, ""), request)
        return model.answer(turn) if isinstance(turn, tuple) and turn[0] == CALLED else None

    return make


def _and_says(model: AnyTurn, at: Sequence[Any], part: Any) -> Make:
    """Return what makes a call of a tool with a text beside it, as ``part`` at a place."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        made: Any = _called(model)(request, answer)
        owner = _at(made, at[:-1])
        if isinstance(part, dict) and made is not None:
            owner[at[-1]].insert(0, dict(part))
        elif made is not None:
            owner[at[-1]] = part
        return made  # type: ignore[no-any-return]

    return make


_NO_ARGUMENTS = ("", "{}", "null")


def _argued(make: Make) -> Make:
    """Return what makes a call of a tool whose arguments are known, and none of another."""

    def made(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        turn = shaped((CALLED, ""), request)
        known = isinstance(turn, tuple) and turn[-1] not in _NO_ARGUMENTS
        return make(request, answer) if known else None

    return made


def _rewritten(at: Sequence[Any], change: Callable[[str], str], *, limited: bool = False) -> Make:
    """Return what writes the text at a place otherwise; ``limited``: as the token limit cuts it."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        text = _at(answer, at)
        allowed = has_limit(request) if limited else not has_schema(request)
        if not (allowed and isinstance(text, str)):
            return None
        _at(answer, at[:-1])[at[-1]] = change(text)
        return answer

    return make


def _at(value: Any, path: Sequence[Any]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _half(text: str) -> str:
    return text[: len(text) // 2]


def _cut_json(model: AnyTurn, at: Sequence[Any]) -> Make:
    """Return what cuts the JSON that a request asks for, where its own limit of tokens is short."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        text = str(_at(answer, at))
        is_cut = has_short_limit(request) and text[:1] in ("{", "[") and asks_for_json(request)
        return {**answer, **model.answer((CUT, _half(text)))} if is_cut else None

    return make


# ------------------------------------------------------------- OpenAI's

_CHOICE = ("choices", 0, "message", "content")


def _arguments(model: AnyTurn, change: Callable[[str], str], *, limited: bool) -> Make:
    """Return what makes a call of a tool whose arguments are no JSON."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        if has_limit(request) is not limited or (not limited and is_strict(request)):
            return None
        made: Any = _called(model)(request, answer)
        for call in _at(made, (*_CHOICE[:-1], "tool_calls")) or ():
            call["function"]["arguments"] = change(call["function"]["arguments"])
            made["choices"][0]["finish_reason"] = "length" if limited else "tool_calls"
        return made  # type: ignore[no-any-return]

    return make


def _refused(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    if not may_refuse(request):
        return None
    message = {"role": "assistant", "content": None, "refusal": REFUSAL}
    answer["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
    return answer


def _delivered(name: str, way: str = "") -> Make:
    """Return what makes the same answer, brought otherwise where the request asks for it.

    ``way``: what the request must allow, if it is not of the same name.
    """

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        around = answer.get(DELIVERY) or {}
        wanted = request.stream.get(way or name)
        return {**answer, DELIVERY: {**around, name: True}} if wanted else None

    return make


def _unchanged(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    """Return the answer as a stream ends in fact: its last part has no text."""
    return {k: v for k, v in answer.items() if k != DELIVERY} if request.stream else None


# ----------------------------------------- Anthropic's, Google's, AWS's


def _is_thinking(request: ApiRequest) -> bool:
    given = request.parameters
    more = given.get("additionalModelRequestFields") or given.get("additional_model_request_fields")
    found: List[Any] = [given.get("thinking")]
    if isinstance(more, Mapping):
        found += [more.get(name) for name in ("thinking", "reasoning_config", "reasoningConfig")]
    kinds = (each.get("type") for each in found if isinstance(each, Mapping))
    return any(kind in ("enabled", "adaptive") for kind in kinds)


def _thinking(path: Sequence[Any], block: Mapping[str, Any]) -> Make:
    """Return what puts a block of thoughts before the others."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        blocks = _at(answer, path)
        if not (_is_thinking(request) and isinstance(blocks, list)):
            return None
        blocks.insert(0, dict(block))
        return answer

    return make


_THINKING = {"type": "thinking", "thinking": _THOUGHT, "signature": _SIGNATURE}
_REASONING = {"reasoningContent": {"reasoningText": {"text": _THOUGHT, "signature": _SIGNATURE}}}


def _cut_call(model: AnyTurn) -> Make:
    """Return what makes a call of a tool in a stream that the token limit cuts within its JSON."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        made = _called(model)(request, answer) if request.stream and has_limit(request) else None
        return None if made is None else {**made, DELIVERY: {"cut": True}}

    return make


def _refused_output(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    del answer
    return RESPONSE.answer((REFUSED, REFUSAL)) if may_refuse(request) else None


def _incomplete(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    made = _rewritten(_OUTPUT, _half, limited=True)(request, answer)
    return None if made is None else {**made, **INCOMPLETE}


def _incomplete_call(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    made: Any = _called(RESPONSE)(request, answer) if has_limit(request) else None
    for call in _at(made, ("output",)) or ():
        call.update(arguments=_half(call["arguments"]), status="incomplete")
    return None if made is None else {**made, **INCOMPLETE}


def _thoughts_alone(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    made: Any = _reasoned(request, answer) if has_limit(request) else None
    return None if made is None else {**made, "output": made["output"][:1], **INCOMPLETE}


_FAILED = {"code": "server_error", "message": "The server had an error processing the request."}


def _failed(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    later = request.stream or request.parameters.get("background") is True
    return {**answer, "output": [], "status": "failed", "error": _FAILED} if later else None


_REASONING_MODEL = re.compile(r"(gpt-5(-mini|-nano)?(-2025.*)?|o[134](-mini|-pro)?(-202.*)?)$")


def _reasoned(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    model = str(request.parameters.get("model") or "")
    if not (request.parameters.get("reasoning") or _REASONING_MODEL.match(model)):
        return None
    answer["output"].insert(0, {"type": "reasoning", "id": "rs_1", "summary": []})
    return answer


def _blocked_prompt(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    del request
    rest = {key: value for key, value in answer.items() if key != "candidates"}
    return {**rest, "prompt_feedback": {"block_reason": "PROHIBITED_CONTENT"}}


def _blocked_answer(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    del request
    return {**answer, "candidates": [{"index": 0, "finish_reason": "SAFETY"}]}


def _cut_empty(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    if not has_limit(request):
        return None
    candidate = {"index": 0, "finish_reason": "MAX_TOKENS", "content": {"role": "model"}}
    return {**answer, "candidates": [candidate]}


def _failing(**brought: Any) -> Make:
    """Return what makes a failure of the service: a status, or no answer in time."""

    def make(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
        del request, answer
        return {DELIVERY: brought}

    return make


def _broken_off(request: ApiRequest, answer: Dict[str, Any]) -> Optional[Answer]:
    return {**answer, DELIVERY: {"broken": True}} if request.stream else None


def _with_trailing_comma(text: str) -> str:
    return f"{text[:-1].rstrip()},{text[-1]}" if text[-1:] in ("}", "]") else text


def _in_array(text: str) -> str:
    return f"[{text}]" if text[:1] == "{" else text


def _without_a_key(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return json.dumps(dict(list(found.items())[1:])) if isinstance(found, dict) else text


def _texts(at: Sequence[Any]) -> Dict[str, Make]:
    """The ways in which a text may be written that is asked for in words, and half of it."""
    return {
        "fenced": _rewritten(at, lambda text: f"```json\n{text}\n```"),
        "prefixed": _rewritten(at, lambda text: f"Here is the JSON you asked for:\n\n{text}"),
        "trailing-comma": _rewritten(at, _with_trailing_comma),
        "array": _rewritten(at, _in_array),
        "missing-key": _rewritten(at, _without_a_key),
        "unreadable": _rewritten(at, lambda _: REFUSAL),
        "cut": _rewritten(at, _half, limited=True),
    }


_BLOCK = ("content", 0, "text")
_PART = ("candidates", 0, "content", "parts", 0, "text")
_SAID = ("output", "message", "content", 0, "text")
_OUTPUT = ("output", 0, "content", 0, "text")
_BESIDE: Mapping[str, Make] = {
    "openai.responses": _and_says(RESPONSE, _OUTPUT[:1], _SAYING),
    "anthropic.messages": _and_says(MESSAGE, _BLOCK[:1], {"type": "text", "text": _LOOKING}),
    "aws.bedrock-runtime.converse": _and_says(CONVERSE, _SAID[:-2], {"text": _LOOKING}),
}
_EVERYWHERE: Mapping[str, Make] = {
    "error-status": _failing(status=429),
    "bad-request": _failing(status=400),
    "server-error": _failing(status=500),
    "loading": _failing(status=503),
    "overloaded": _failing(status=529),
    "time-out": _failing(late=True),
    "stream-error": _broken_off,
}


def _chat(model: AnyTurn) -> Dict[str, Make]:
    """The shapes of an answer that is a choice with a message."""
    no_json = _arguments(model, lambda text: f"{text[:-1]},}}", limited=False)
    return {
        **_texts(_CHOICE),
        "plain": _plain(model, _CHOICE),
        "json-cut": _cut_json(model, _CHOICE),
        "tool-call": _called(model),
        "tool-call-with-text": _and_says(model, _CHOICE, _LOOKING),
        "arguments-cut": _arguments(model, _half, limited=True),
        "arguments-no-json": no_json,
    }


_BEGUN = ("message", "content", 0, "text")
_SHAPES: Mapping[str, Mapping[str, Make]] = {
    "openai.chat_completions": {
        **_chat(CHAT),
        "padded": _delivered("padded"),
        "stream-end": _unchanged,
        "usage-chunk": _delivered("usage"),
        "filter-chunk": _delivered("filtered"),
        "unasked-usage": _delivered("usage", "unasked"),
        "refusal": _refused,
    },
    "huggingface.chat_completion": _chat(HUB),
    "cohere.chat": {
        **_texts(_BEGUN),
        "plain": _plain(COHERE, _BEGUN),
        "json-cut": _cut_json(COHERE, _BEGUN),
        "tool-call": _called(COHERE),
        "tool-call-with-text": _and_says(COHERE, _BEGUN[:2], [{"type": "text", "text": _LOOKING}]),
        "thinking": _thinking(_BEGUN[:2], {"type": "thinking", "thinking": _THOUGHT}),
    },
    "openai.responses": {
        **_texts(_OUTPUT),
        "plain": _plain(RESPONSE, _OUTPUT),
        "json-cut": _cut_json(RESPONSE, _OUTPUT),
        "tool-call": _called(RESPONSE),
        "tool-call-with-text": _BESIDE["openai.responses"],
        "text-and-tool-call": _argued(_BESIDE["openai.responses"]),
        "arguments-cut": _incomplete_call,
        "thinking": _reasoned,
        "refusal": _refused_output,
        "incomplete": _incomplete,
        "cut-empty": _thoughts_alone,
        "failed": _failed,
    },
    "anthropic.messages": {
        **_texts(_BLOCK),
        "plain": _plain(MESSAGE, _BLOCK),
        "json-cut": _cut_json(MESSAGE, _BLOCK),
        "tool-call": _called(MESSAGE),
        "tool-call-with-text": _BESIDE["anthropic.messages"],
        "text-and-tool-call": _argued(_BESIDE["anthropic.messages"]),
        "stream-arguments-cut": _cut_call(MESSAGE),
        "thinking": _thinking(("content",), _THINKING),
    },
    "gemini.generate_content": {
        **_texts(_PART),
        "plain": _plain(CONTENT, _PART),
        "json-cut": _cut_json(CONTENT, _PART),
        "tool-call": _called(CONTENT),
        "tool-call-with-text": _and_says(CONTENT, _PART[:-2], {"text": _LOOKING}),
        "cut-empty": _cut_empty,
        "blocked-prompt": _blocked_prompt,
        "blocked-answer": _blocked_answer,
    },
    "aws.bedrock-runtime.converse": {
        **_texts(_SAID),
        "plain": _plain(CONVERSE, _SAID),
        "json-cut": _cut_json(CONVERSE, _SAID),
        "tool-call": _called(CONVERSE),
        "tool-call-with-text": _BESIDE["aws.bedrock-runtime.converse"],
        "text-and-tool-call": _argued(_BESIDE["aws.bedrock-runtime.converse"]),
        "stream-arguments-cut": _cut_call(CONVERSE),
        "thinking": _thinking(_SAID[:-2], _REASONING),
    },
}
