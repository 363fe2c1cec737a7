"""What clients of providers ask that have no mapping of their own: all by description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import parse_qsl, urlsplit

from .. import calls
from ..fitting import on_the_wire
from .described import ELEMENTS, Described, Entry, asked_each, decoded, plain, source

MAPPED = ("aws", "azure", "google", "huggingface", "openai")


def is_other(entry: Entry) -> bool:
    """Whether an entry is of a provider without a mapping of its own."""
    return str(entry["provider"]).partition(".")[0] not in MAPPED


class Other:
    """Asks what an entry describes.

    The input stands in the parameter that its ``field`` names, behind a dot the
    name inside it: ``image.content``.
    """

    def __init__(self, described: Described) -> None:
        self.described = described

    def called(self, entry: Entry, args: Tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """The canonical answer to a call of a client; raises ``Refused``.

        The input is an argument of the field's name, else the first.
        """
        given = dict(options)
        head, inner = _field(entry)
        if args and head not in given:
            given[head] = args[0]
        return self._answer(entry, given.pop(head, None), inner, given)

    def posted(self, entry: Entry, body: Any) -> Any:
        """The JSON that answers a request's: contents stand in it in base 64.

        A body that is no JSON is the content.
        """
        head, inner = _field(entry)
        given = dict(body) if isinstance(body, Mapping) else {head: body}
        value = given.pop(head, None)
        answer = self._answer(entry, _unpacked(value, entry), inner, given)
        schema, message = self.described.schema, str(entry.get("schema") or "")
        if isinstance(answer, list):
            return [on_the_wire(schema, message, each, str) for each in answer]
        return on_the_wire(schema, message, answer, str)

    def sent(self, entry: Entry, url: str, body: Any) -> Any:
        """The JSON that answers a request whose body is the content, its options in the query."""
        options = dict(parse_qsl(urlsplit(url).query))
        content = bytes(body) if isinstance(body, (bytes, bytearray)) else None
        return self.posted(entry, {**options, _field(entry)[0]: content})

    def _answer(self, entry: Entry, value: Any, inner: str, options: Mapping[str, Any]) -> Any:
        asked = plain(options)
        items: List[Any] = list(value or ()) if asked_each(entry) else [value]
        answers = [
            self.described.ask(entry, _question(entry, each, inner, asked)) for each in items
        ]
        if asked_each(entry):
            return _nested(str(entry["result"]).partition("[]")[0].split("."), answers)
        return answers[0].get(ELEMENTS, answers[0])


def _field(entry: Entry) -> Tuple[str, str]:
    head, _, inner = str((entry.get("input") or {}).get("field") or "input").partition(".")
    return head, inner


def _question(entry: Entry, value: Any, inner: str, options: Dict[str, Any]) -> calls.Request:
    if inner and isinstance(value, Mapping):
        value = value.get(inner)
    elif inner:
        value = getattr(value, inner, value)
    kind = str((entry.get("input") or {}).get("kind"))
    return calls.Request(str(entry["name"]), *source(value, kind), options)


def _unpacked(value: Any, entry: Entry) -> Any:
    """The parts of a body whose texts in base 64 are contents again."""
    if (entry.get("input") or {}).get("kind") == "text":
        return value
    if isinstance(value, list):
        return [_unpacked(item, entry) for item in value]
    if isinstance(value, dict):
        return {key: _unpacked(item, entry) for key, item in value.items()}
    content: Optional[bytes] = decoded(value) if isinstance(value, str) else None
    return value if content is None else content


def _nested(path: List[str], answers: List[Any]) -> Any:
    """Answers to the elements of an input, where the whole response has them."""
    made: Any = answers
    for step in reversed([step for step in path if step]):
        made = {step: made}
    return made
