"""Texts, tool calls and refusals of language models: everything that a request may be answered."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, Iterator, Tuple, Union

from ..code_constants import ConstantPool
from .answer_model import Answer, Symbols
from .text_answers import TEXT

Turn = Union[str, Tuple[str, ...]]
"""A text, or one of the other endings of a turn, with its text last.

``called``: a tool is called with these arguments, after its name; ``refused``: the model
refuses in the field for that; ``cut``: the text ends at the limit of tokens.
"""
CALLED, REFUSED, CUT = "called", "refused", "cut"
INCOMPLETE = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
"""What a response of OpenAI has that its limit of tokens has cut off."""
REFUSAL = "I'm sorry, but I can't help with that."
LISTS = ("one, two, three, four", "1. one\n2. two\n3. three\n4. four", "one\ntwo\nthree\nfour")
"""Texts of several parts, as models write them where they are asked for some."""
_MOST_KEYS = 8


def text_of(knobs: Turn) -> str:
    """Return the text of a turn."""
    return knobs[-1] if isinstance(knobs, tuple) else knobs


class TurnModel:
    """Answers of a language model to one request."""

    bound = "any text"

    def start(self) -> str:
        """A refusal in words, which any request for text may get."""
        return REFUSAL

    def seeds(self, pool: ConstantPool) -> Iterator[Turn]:
        """No text, JSON with its legal variations, the other endings, then any texts."""
        yield ""
        whole = json.dumps(dict.fromkeys(pool.close[:_MOST_KEYS] or ["answer"], "text"))
        yield whole
        yield f"```json\n{whole}\n```"
        yield f"Here is the JSON:\n{whole}"
        yield f"{whole[:-1]},}}"
        yield REFUSED, REFUSAL
        yield CUT, whole
        yield CALLED, ""
        yield from LISTS
        yield from TEXT.seeds(pool)

    def mutate(self, knobs: Turn, rng: random.Random, pool: ConstantPool) -> Turn:
        """Another text of the same ending."""
        changed = TEXT.mutate(text_of(knobs), rng, pool)
        return (*knobs[:-1], changed) if isinstance(knobs, tuple) else changed

    def simpler(self, knobs: Turn, pool: ConstantPool) -> Iterator[Turn]:
        """The plain text first, then simpler texts of the same ending."""
        if isinstance(knobs, tuple):
            yield knobs[-1]
        for text in TEXT.simpler(text_of(knobs), pool):
            yield (*knobs[:-1], text) if isinstance(knobs, tuple) else text

    def likelier(self, knobs: Turn) -> Iterator[Turn]:
        """The text without blanks around it."""
        if not isinstance(knobs, tuple):
            yield knobs.strip()

    def symbolic(self, symbols: Symbols, most: int) -> str:
        """Any text."""
        del most
        return symbols.text("text")


class ChatTurn(TurnModel):
    """The message of a model in a conversation."""

    fields = ("choices", "message", "content")

    def answer(self, knobs: Turn) -> Answer:
        """One choice with the turn."""
        message: Dict[str, Any] = {"role": "assistant"}
        reason = "stop"
        if not isinstance(knobs, tuple):
            message["content"] = knobs
        elif knobs[0] == CALLED:
            function = {"name": knobs[1], "arguments": knobs[-1]}
            message["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
            reason = "tool_calls"
        elif knobs[0] == REFUSED:
            message["refusal"] = knobs[-1]
        else:
            message["content"], reason = knobs[-1], "length"
        return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


class HubTurn(ChatTurn):
    """The message of a model at Hugging Face, whose library wants every field."""

    def answer(self, knobs: Turn) -> Answer:
        """One choice with the turn, and what stands around it."""
        (choice,) = super().answer(knobs)["choices"]
        absent = dict.fromkeys(("content", "reasoning", "tool_call_id", "tool_calls"))
        whole = {**choice, "logprobs": None, "message": {**absent, **choice["message"]}}
        usage = {"prompt_tokens": 12, "completion_tokens": 6, "total_tokens": 18}
        about = {"id": "chatcmpl-assayer", "created": 1772443800, "model": "model"}
        around = {**about, "system_fingerprint": "fp_assayer", "usage": usage}
        return {**around, "choices": [whole]}


class ResponseTurn(TurnModel):
    """The output of a model's response."""

    fields = ("output", "content", "text", "output_text")

    def answer(self, knobs: Turn) -> Answer:
        """One message with the text or a refusal, or a call of a function."""
        ending = knobs[0] if isinstance(knobs, tuple) else ""
        if isinstance(knobs, tuple) and ending == CALLED:
            called = {"id": "fc_1", "call_id": "call_1", "name": knobs[1], "arguments": knobs[-1]}
            return {"output": [{"type": "function_call", **called}]}
        part: Dict[str, Any] = {"type": "output_text", "text": text_of(knobs), "annotations": []}
        if ending == REFUSED:
            part = {"type": "refusal", "refusal": text_of(knobs)}
        message = {"type": "message", "role": "assistant", "content": [part]}
        return {"output": [message], **(INCOMPLETE if ending == CUT else {})}


class MessageTurn(TurnModel):
    """The message of a model whose content is a list of blocks."""

    fields = ("content", "text", "stop_reason", "type")

    def answer(self, knobs: Turn) -> Answer:
        """A block with the text, a call of a tool, or nothing where the model refuses."""
        block: Dict[str, Any] = {"type": "text", "text": text_of(knobs)}
        reason = "end_turn"
        if isinstance(knobs, tuple) and knobs[0] == CALLED:
            block = {"type": "tool_use", "id": "toolu_1", "name": knobs[1]}
            block["input"] = json.loads(knobs[-1] or "{}")
            reason = "tool_use"
        elif isinstance(knobs, tuple):
            reason = "refusal" if knobs[0] == REFUSED else "max_tokens"
        return {"stop_reason": reason, "content": [] if reason == "refusal" else [block]}


class ContentTurn(TurnModel):
    """The candidate of a model whose content is a list of parts."""

    fields = ("candidates", "content", "parts", "text", "finish_reason")

    def answer(self, knobs: Turn) -> Answer:
        """A part with the text, a call of a function, or no content where it was blocked."""
        part: Dict[str, Any] = {"text": text_of(knobs)}
        reason = "STOP"
        if isinstance(knobs, tuple) and knobs[0] == CALLED:
            part = {"function_call": {"name": knobs[1], "args": json.loads(knobs[-1] or "{}")}}
        elif isinstance(knobs, tuple):
            reason = "SAFETY" if knobs[0] == REFUSED else "MAX_TOKENS"
        candidate: Dict[str, Any] = {"index": 0, "finish_reason": reason}
        if reason != "SAFETY":
            candidate["content"] = {"role": "model", "parts": [part]}
        return {"candidates": [candidate]}


class ConverseTurn(TurnModel):
    """The message of a model as AWS has it: a block holds what it is under its kind."""

    fields = ("output", "message", "content", "text", "stopReason")

    def answer(self, knobs: Turn) -> Answer:
        """A block with the text, or a use of a tool."""
        block: Dict[str, Any] = {"text": text_of(knobs)}
        reason = "end_turn"
        if isinstance(knobs, tuple) and knobs[0] == CALLED:
            used = {"toolUseId": "tool-1", "name": knobs[1]}
            block = {"toolUse": {**used, "input": json.loads(knobs[-1] or "{}")}}
            reason = "tool_use"
        elif isinstance(knobs, tuple):
            reason = "content_filtered" if knobs[0] == REFUSED else "max_tokens"
        message = {"role": "assistant", "content": [block]}
        usage = {"inputTokens": 12, "outputTokens": 6, "totalTokens": 18}
        around = {"stopReason": reason, "usage": usage, "metrics": {"latencyMs": 640}}
        return {"output": {"message": message}, **around}


class CohereTurn(TurnModel):
    """The message of a model of Cohere's: blocks of content, or calls of tools without any."""

    fields = ("message", "content", "text", "finish_reason")

    def answer(self, knobs: Turn) -> Answer:
        """A block with the text, or a call of a tool and the plan that leads to it."""
        reason, message = "COMPLETE", {"role": "assistant"}
        said: Dict[str, Any] = {"content": [{"type": "text", "text": text_of(knobs)}]}
        if isinstance(knobs, tuple) and knobs[0] == CALLED:
            function = {"name": knobs[1], "arguments": knobs[-1]}
            calls = [{"id": "call_1", "type": "function", "function": function}]
            reason, said = "TOOL_CALL", {"tool_plan": PLAN, "tool_calls": calls}
        elif isinstance(knobs, tuple) and knobs[0] == CUT:
            reason = "MAX_TOKENS"
        return {"finish_reason": reason, "message": {**message, **said}}


PLAN = "I will look that up."
CHAT = ChatTurn()
HUB = HubTurn()
COHERE = CohereTurn()
RESPONSE = ResponseTurn()
MESSAGE = MessageTurn()
CONTENT = ContentTurn()
CONVERSE = ConverseTurn()
