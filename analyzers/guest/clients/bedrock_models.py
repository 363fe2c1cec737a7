"""The words in which models on Bedrock are invoked, and answer.

Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

Answer = Callable[[str, Mapping[str, Any]], Dict[str, Any]]


@dataclass(frozen=True)
class ModelWords:
    """The field ``head`` of a body has the prompt; ``answer`` makes a body of a text.

    Its second argument is the whole answer of a conversation.
    """

    head: str
    answer: Answer


def words_of(model: str, body: Mapping[str, Any]) -> Optional[ModelWords]:
    """Return the words of a model by its name and its body; ``None`` for one that is not known."""
    if "embed" in model:
        return None
    for maker, words in _WORDS:
        if maker in model and words.head in body:
            return words
    return None


def _titan(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    result = {"tokenCount": 6, "outputText": text, "completionReason": "FINISH"}
    return {"inputTextTokenCount": 12, "results": [result]}


def _llama(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    counts = {"prompt_token_count": 12, "generation_token_count": 6}
    return {"generation": text, **counts, "stop_reason": "stop"}


def _mistral(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    return {"outputs": [{"text": text, "stop_reason": "stop"}]}


def _chat(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "stop_reason": "stop"}
    return {"id": "assayer", "choices": [choice]}


def _claude(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    return {"completion": f" {text}", "stop_reason": "stop_sequence", "stop": "\n\nHuman:"}


def _nova(_: str, whole: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: whole[name] for name in ("output", "stopReason", "usage") if name in whole}


def _command(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    said = {"id": "assayer", "text": text, "finish_reason": "COMPLETE"}
    return {"id": "assayer", "generations": [said], "prompt": ""}


def _command_r(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    names = {"response_id": "assayer", "generation_id": "assayer"}
    return {**names, "text": text, "finish_reason": "COMPLETE", "chat_history": []}


def _jurassic(text: str, _: Mapping[str, Any]) -> Dict[str, Any]:
    said = {"data": {"text": text}, "finishReason": {"reason": "endoftext"}}
    return {"id": "assayer", "completions": [said]}


_WORDS: Tuple[Tuple[str, ModelWords], ...] = (
    ("amazon.titan", ModelWords("inputText", _titan)),
    ("amazon.nova", ModelWords("messages", _nova)),
    ("anthropic.", ModelWords("prompt", _claude)),
    ("meta.", ModelWords("prompt", _llama)),
    ("mistral.", ModelWords("prompt", _mistral)),
    ("cohere.", ModelWords("message", _command_r)),
    ("cohere.", ModelWords("prompt", _command)),
    ("ai21.", ModelWords("prompt", _jurassic)),
    ("", ModelWords("messages", _chat)),
)
