"""Messages to a language model as a question, and the fields around the text of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple

from ..protocol import api_calls
from ..runtime.standins import Inert
from .described_apis import Entry, plain, source

_SETTINGS = (
    *("config", "generation_config", "generationConfig"),
    *("inferenceConfig", "toolConfig", "outputConfig"),
)
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")


def hoisted(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Return parameters with those of a configuration among them, in snake case."""
    made = {k: value for k, value in options.items() if k not in (*_SETTINGS, "stream")}
    for held in (options.get(name) for name in _SETTINGS):
        for key, value in held.items() if isinstance(held, Mapping) else ():
            made[_HUMP.sub(r"_\1", key).lower()] = value
    return made


def whole(entry: Entry, answer: Mapping[str, Any], options: Mapping[str, Any]) -> Dict[str, Any]:
    """Return an answer with what it leaves out of an ordinary one around the text."""
    around: Dict[str, Any] = dict(entry.get("ordinary") or {})
    around.pop(re.split(r"\[|\.", str(entry["result"]))[0], None)
    if "model" in around and isinstance(options.get("model"), str):
        around["model"] = options["model"]
    return {**around, **answer}


def conversation(
    name: str, head: str, value: Any, options: Mapping[str, Any]
) -> api_calls.ApiRequest:
    """Return the question that messages or a prompt, the parameter ``head``, are."""
    texts, (content, uri) = said(value), pictured(value)
    asked = dict(options)
    if not _is_simple(value):
        asked[head] = _without_pictures(plain(value))
    return api_calls.ApiRequest(name, content, "\n".join(texts) if texts else None, uri, asked)


def said(value: Any) -> List[Any]:
    """The texts in a prompt, a list of messages or a message."""
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in said(item)]
    if isinstance(value, Mapping):
        fields = (value.get(name) for name in ("content", "parts", "text"))
        return said(next((field for field in fields if field is not None), None))
    if value is None or isinstance(value, (bytes, Inert)) or hasattr(value, "save"):
        return []
    dump = getattr(value, "model_dump", None)
    return [value] if dump is None else said(dump())


_PICTURES = ("image_url", "source", "inline_data", "inlineData")
_PICTURED = {"media_type", "mime_type", "mimeType"}


def pictured(value: Any) -> Tuple[Optional[bytes], Optional[str]]:
    """The content or the address of the first picture in messages."""
    if isinstance(value, (list, tuple)):
        found = (pictured(item) for item in value)
        return next((each for each in found if each != (None, None)), (None, None))
    if not isinstance(value, Mapping):
        return source(value, "image")[0] if hasattr(value, "save") else None, None
    picture = next((value[name] for name in _PICTURES if value.get(name)), None)
    if picture is None:
        return pictured(value.get("content") or value.get("parts"))
    address = picture
    if isinstance(picture, Mapping):
        address = picture.get("url") or picture.get("data")
    content, _, uri = source(address, "image")
    return content, uri


def _is_simple(value: Any) -> bool:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        message = value[0]
        return message.get("role") == "user" and isinstance(message.get("content"), str)
    return not isinstance(value, (list, tuple, Mapping))


def _without_pictures(value: Any) -> Any:
    """Messages whose embedded pictures are left out: they are the content."""
    if isinstance(value, list):
        return [_without_pictures(item) for item in value]
    if isinstance(value, dict):
        held = ("data",) if _PICTURED & value.keys() else ()
        return {k: "data:" if k in held else _without_pictures(v) for k, v in value.items()}
    return "data:" if isinstance(value, str) and value.startswith("data:") else value
