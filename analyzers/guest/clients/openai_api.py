"""What OpenAI's clients ask, whichever client it is, and what they are sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple

from .. import calls
from ..fitting import complete, on_the_wire
from .described import Described, Entry, plain, source

INPUTS = ("messages", "input", "prompt", "file")
_MODERATED = "openai.types.Moderation"


class OpenAI:
    """Answers the requests that the catalogue describes."""

    def __init__(self, described: Described) -> None:
        self.described = described
        self._paths: Dict[str, Entry] = {}
        for path, name in _PATHS.items():
            entry = described.named(f"openai.{name}")
            if entry is not None:
                self._paths[path] = entry

    def path(self, url: str) -> Optional[Entry]:
        """The description of what answers below the path of a URL."""
        found = [path for path in self._paths if url.partition("?")[0].endswith(path)]
        return self._paths[max(found, key=len)] if found else None

    def answer(self, entry: Entry, body: Mapping[str, Any]) -> Dict[str, Any]:
        """The canonical response to a request's body; raises ``Refused``.

        Moderations of several texts are asked one by one.
        """
        answers = [self.described.ask(entry, each) for each in semantic(entry, body)]
        answer = dict(answers[0])
        if len(answers) > 1:
            answer["results"] = [one for each in answers for one in each.get("results") or []]
        model = str(body.get("model") or "model")
        return {**_around(entry, model), **_filled(self.described.schema, entry, answer)}

    def wire(self, entry: Entry, answer: Mapping[str, Any]) -> Any:
        """The JSON that says so."""
        return on_the_wire(self.described.schema, str(entry["schema"]), answer, str)


_PATHS = {
    "/chat/completions": "chat_completions",
    "/completions": "completions",
    "/responses": "responses",
    "/moderations": "moderations",
    "/audio/transcriptions": "transcriptions",
    "/audio/translations": "transcriptions",
}


def semantic(entry: Entry, body: Mapping[str, Any]) -> List[calls.Request]:
    """The questions that a request asks: one, or one for each text to moderate.

    The text is what the messages say, one a line; the content or URI that of
    the first picture among them.  ``messages`` stay an option where they are
    more than one text of a user.
    """
    name = str(entry["name"])
    head = next((each for each in INPUTS if body.get(each) is not None), "input")
    value = body.get(head)
    options = plain({k: v for k, v in body.items() if k not in (head, "stream", "stream_options")})
    if head == "file":
        options = {key: _in_form(value) for key, value in options.items()}
        return [calls.Request(name, *_upload(value), options)]
    if name.endswith(".moderations") and isinstance(value, list) and _are_texts(value):
        return [calls.Request(name, None, each, None, options) for each in value]
    texts, (content, uri) = said(value), pictured(value)
    if not _is_simple(value):
        options[head] = _without_pictures(plain(value))
    return [calls.Request(name, content, "\n".join(texts) if texts else None, uri, options)]


def _in_form(value: Any) -> Any:
    """A number as the form that goes with a file has it."""
    return str(value) if isinstance(value, (int, float)) else value


def said(value: Any) -> List[Any]:
    """The texts in a prompt, a list of messages or a message."""
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in said(item)]
    if isinstance(value, Mapping):
        return said(value["content"] if value.get("content") is not None else value.get("text"))
    return [] if value is None else [value]


def pictured(value: Any) -> Tuple[Optional[bytes], Optional[str]]:
    """The content or the address of the first picture in messages."""
    if isinstance(value, (list, tuple)):
        found = (pictured(item) for item in value)
        return next((each for each in found if each != (None, None)), (None, None))
    if not isinstance(value, Mapping):
        return None, None
    picture = value.get("image_url")
    if picture is None:
        return pictured(value.get("content"))
    address = picture.get("url") if isinstance(picture, Mapping) else picture
    content, _, uri = source(address, "image")
    return content, uri


def _is_simple(value: Any) -> bool:
    """Whether a prompt is no more than one text of a user."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        message = value[0]
        return message.get("role") == "user" and isinstance(message.get("content"), str)
    return not isinstance(value, (list, tuple, Mapping))


def _are_texts(values: List[Any]) -> bool:
    return all(not isinstance(each, Mapping) for each in values)


def _without_pictures(value: Any) -> Any:
    """Messages whose embedded pictures are left out: they are the content."""
    if isinstance(value, list):
        return [_without_pictures(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_pictures(item) for key, item in value.items()}
    return "data:" if isinstance(value, str) and value.startswith("data:") else value


def _upload(value: Any) -> Tuple[Any, Any, Any]:
    """The source that a file is, given as it is or as ``(name, file, …)``."""
    return source(value[1] if isinstance(value, tuple) else value, "audio")


# ------------------------------------------------------------------- answers


def _around(entry: Entry, model: str) -> Dict[str, Any]:
    """What every response of an API has."""
    kind = str(entry["name"]).rpartition(".")[2]
    if kind == "transcriptions":
        return {}
    made: Dict[str, Any] = {"id": f"{kind}-assayer", "model": model}
    if kind == "responses":
        return {**made, "object": "response", "created_at": 0.0, "status": "completed"}
    if kind != "moderations":
        what = "chat.completion" if kind == "chat_completions" else "text_completion"
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        made.update(object=what, created=0, usage=usage)
    return made


def _filled(schema: Any, entry: Entry, answer: Mapping[str, Any]) -> Dict[str, Any]:
    """An answer whose parts have what they always have."""
    made: Dict[str, Any] = dict(answer)
    if "results" in made:
        made["results"] = [complete(schema, _MODERATED, one) for one in made["results"]]
    if "choices" in made:
        made["choices"] = [_choice(n, choice) for n, choice in enumerate(made["choices"])]
    if str(entry["name"]).endswith(".responses"):
        output: List[Dict[str, Any]] = made.get("output") or []
        made["output"] = [_output(item) for item in output]
    return made


def _choice(number: int, choice: Mapping[str, Any]) -> Dict[str, Any]:
    made: Dict[str, Any] = {"index": number, "finish_reason": "stop", **choice}
    if "message" in made:
        made["message"] = {"role": "assistant", "content": None, **made["message"]}
    return made


def _output(item: Mapping[str, Any]) -> Dict[str, Any]:
    shared: Dict[str, Any] = {
        "id": "msg-assayer",
        "type": "message",
        "role": "assistant",
        "status": "completed",
    }
    text: Dict[str, Any] = {"type": "output_text", "annotations": []}
    content: Any = item.get("content") or ()
    return {**shared, **item, "content": [{**text, **part} for part in content]}


def events(wire: Mapping[str, Any]) -> bytes:
    """A completion as the one event of a stream, and its end."""
    choices = [
        {**{k: v for k, v in choice.items() if k != "message"}, "delta": choice.get("message")}
        if "message" in choice
        else choice
        for choice in wire.get("choices") or []
    ]
    kind = str(wire.get("object", "")).replace("chat.completion", "chat.completion.chunk")
    chunk = {**wire, "object": kind, "choices": choices}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
