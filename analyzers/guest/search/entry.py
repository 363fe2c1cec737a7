"""Finds by trial how the ML input gets into the target."""

from __future__ import annotations

import base64
import itertools
import struct
import zlib
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..calls import Request
from ..execution import Prepared, Result, execute
from .campaign import Arguments, Models, usable

_HINTS: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
    ("path filename file_name fname uri", ("path", "text")),
    ("base64 b64 encoded", ("base64", "bytes")),
    ("array frame ndarray mat", ("numpy", "bytes", "path")),
    ("pil", ("pil", "path")),
    ("image img photo picture pic", ("path", "bytes", "pil", "numpy", "file", "base64")),
    ("content data bytes buffer blob payload", ("bytes", "text", "base64", "path")),
    ("file upload stream fp", ("path", "file", "bytes")),
    ("text sentence review comment message document tweet", ("text", "path", "bytes")),
    ("body string query post", ("text", "path", "bytes")),
    ("url", ("path", "text")),
)
_FORMS = ("path", "text", "bytes", "file", "base64", "pil", "numpy")
_ANNOTATED = {
    "bytes": ("bytes",),
    "bytearray": ("bytes",),
    "BinaryIO": ("file",),
    "FileStorage": ("file",),
    "UploadFile": ("file",),
    "ndarray": ("numpy",),
    "Image": ("pil", "bytes"),
    "Path": ("path",),
}
_GUESSES = {
    "int": ("1",), "float": ("0.5",), "bool": ("False", "True"), "str": ("'en'",),
    "list": ("[]",), "List": ("[]",), "Sequence": ("[]",), "dict": ("{}",), "Dict": ("{}",),
}  # fmt: skip
_NUMBERS = ("threshold", "score", "min", "max", "limit", "count", "num", "size", "top", "k", "n")
MOST_TRIALS = 120
FIRST_SECONDS = 10.0
SECONDS = 2.0


@dataclass(frozen=True)
class Entry:
    """The template of calls, or the obstacle.

    ``slot`` is the parameter that takes the ML input, where one does.
    """

    arguments: Optional[Arguments]
    slot: Optional[str] = None
    obstacle: Optional[str] = None
    executions: int = 0


class _Spy:
    """Answers with nothing found and keeps what it was asked."""

    faithful = True

    def __init__(self, models: Models) -> None:
        self._models = models
        self.requests: List[Request] = []

    def __call__(self, request: Request) -> Mapping[str, Any]:
        """The model's simplest answer."""
        self.requests.append(request)
        model = self._models[request.api]
        return model.answer(model.start())


class _Markers:
    """Two contents of each kind that can be told apart in a request."""

    def __init__(self, prepared: Prepared) -> None:
        self._texts = [b"Quince jam 7", b"Violet owls 9"]
        self._pictures = [picture(37, 23, b"marker one"), picture(41, 29, b"marker two")]
        for number in range(2):
            prepared.blobs[f"marker-text-{number}"] = self._texts[number]
            prepared.blobs[f"marker-image-{number}"] = self._pictures[number]

    def argument(self, slot: Slot, number: int) -> Dict[str, Any]:
        """The content argument that carries a marker into a slot."""
        return {**slot.content, "blob": f"marker-{slot.kind}-{number}"}

    def carried(self, request: Request) -> bool:
        """Whether a request carries the first marker as it is."""
        content, text = request.content, request.text
        if isinstance(text, (bytes, bytearray)):
            text = bytes(text).decode("utf-8", "replace")
        if isinstance(text, str) and self._texts[0].decode().casefold() in text.casefold():
            return True
        if isinstance(content, str):
            content = content.encode("utf-8", "replace")
        encoded = base64.b64encode(self._pictures[0])
        return isinstance(content, (bytes, bytearray)) and (
            self._pictures[0] in content or encoded in content
        )


@dataclass(frozen=True)
class Slot:
    """A parameter, and how it may take the input; ``kind``: text or image."""

    name: str
    form: str
    kind: str

    @property
    def content(self) -> Dict[str, Any]:
        """The content argument without a content."""
        suffix = ".txt" if self.kind == "text" else ".png"
        return {"kind": "content", "form": self.form, "suffix": suffix}


def find_entry(prepared: Prepared, words: Sequence[str]) -> Entry:
    """Call the target in many ways until the marker reaches an ML API.

    ``words`` are strings of the code, tried for parameters that are no input.
    """
    search = _Search(prepared, words)
    if not search.parameters:
        return search.without_slot({})
    slotless: Optional[Entry] = None
    for slot in _slots(search.parameters, _kinds(prepared.expected or prepared.entries)):
        entry, through = search.filled(slot)
        if entry is not None and through:
            return entry
        slotless = slotless or entry
    return slotless or search.without_slot(next(search.others(None)))


class _Search:
    def __init__(self, prepared: Prepared, words: Sequence[str]) -> None:
        self.prepared = prepared
        self.models = Models(prepared.entries)
        self.markers = _Markers(prepared)
        self.parameters = [p for p in prepared.parameters if not p["kind"].startswith("var")]
        self.executions = 0
        self._words = words
        self._obstacle = ""

    def call(self, arguments: Arguments) -> Tuple[Result, _Spy]:
        """Call the target once."""
        self.executions += 1
        spy = _Spy(self.models)
        seconds = FIRST_SECONDS if self.executions == 1 else SECONDS
        result = execute(self.prepared, arguments, spy, seconds)
        if not spy.requests or not usable(result):
            self._obstacle = self._obstacle or _explained(result.ending)
        return result, spy

    def filled(self, slot: Slot) -> Tuple[Optional[Entry], bool]:
        """Try a slot with every filling of the rest; whether the input gets through.

        The first filling under which the code runs without tripping over a
        made-up argument is preferred.
        """
        through: Optional[Entry] = None
        asked: Optional[Entry] = None
        for rest in self.others(slot.name):
            if self.executions >= MOST_TRIALS:
                break
            result, spy = self.call({**rest, slot.name: self.markers.argument(slot, 0)})
            if not spy.requests:
                continue
            arguments = {**rest, slot.name: slot.content}
            if self._carries(rest, slot, spy, result):
                through = through or Entry(arguments, slot.name)
                if not result.ending.get("standin") and not _is_type_error(result.ending):
                    return replace(through, arguments=arguments, executions=self.executions), True
            elif usable(result):
                asked = asked or Entry(arguments)
        found = through or asked
        if found is not None:
            found = replace(found, executions=self.executions)
        return found, through is not None

    def _carries(self, rest: Arguments, slot: Slot, spy: _Spy, result: Result) -> bool:
        if any(map(self.markers.carried, spy.requests)):
            return True
        return usable(result) and self._influences(rest, slot, spy.requests)

    def _influences(self, rest: Arguments, slot: Slot, requests: Sequence[Request]) -> bool:
        """Whether another marker makes another request, of a picture or a text."""
        first = _contents(requests, slot)
        if not first:
            return False
        _, again = self.call({**rest, slot.name: self.markers.argument(slot, 0)})
        _, other = self.call({**rest, slot.name: self.markers.argument(slot, 1)})
        return first == _contents(again.requests, slot) != _contents(other.requests, slot)

    def without_slot(self, arguments: Arguments) -> Entry:
        """A template for a target that finds its input by itself."""
        result, spy = self.call(arguments)
        if spy.requests and not isinstance(result.ending.get("reason"), str):
            return Entry(arguments, None, None, self.executions)
        return Entry(None, None, self._obstacle or _explained(result.ending), self.executions)

    def others(self, slot: Optional[str]) -> Iterator[Arguments]:
        """Ways to fill the other parameters: a good guess, then odder ones."""
        needed = [p for p in self.parameters if not p["default"] and p["name"] != slot]
        choices = [self._guesses(parameter) for parameter in needed]
        seen: List[Arguments] = []
        for row in itertools.zip_longest(*choices):
            filled = [
                value if value is not None else options[0] for value, options in zip(row, choices)
            ]
            arguments = {p["name"]: value for p, value in zip(needed, filled)}
            if arguments not in seen:
                seen.append(arguments)
                yield arguments
        if not needed:
            yield {}

    def _guesses(self, parameter: Mapping[str, Any]) -> List[Dict[str, Any]]:
        name, annotation = parameter["name"].lower(), str(parameter["annotation"] or "")
        simple = annotation.rpartition(".")[2].partition("[")[0].strip("'\"")
        if simple in _GUESSES:
            sources: Tuple[str, ...] = _GUESSES[simple]
        elif any(part in _NUMBERS for part in name.split("_")):
            sources = ("0.5", "1")
        else:
            return [
                {"kind": "inert"},
                _literal(repr(_PICTURE)),
                *map(_literal, [*(repr(word) for word in self._words[:2]), "'en'", "1", "[]"]),
            ]
        return [*map(_literal, sources), {"kind": "inert"}]


def _is_type_error(ending: Mapping[str, Any]) -> bool:
    return ending.get("exception") in ("TypeError", "AttributeError")


def _literal(source: str) -> Dict[str, Any]:
    return {"kind": "literal", "source": source}


_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF", b"II*", b"MM")


def _contents(requests: Sequence[Request], slot: Slot) -> List[Any]:
    """The pictures asked about, as they were encoded again; or the texts.

    A path is no text that was asked about.
    """
    if slot.kind == "image":
        pictures = [request.content for request in requests]
        return [p for p in pictures if isinstance(p, bytes) and p.startswith(_MAGIC)]
    if slot.form == "path":
        return []
    return [request.text for request in requests if request.text]


def _kinds(entries: Sequence[Mapping[str, Any]]) -> List[str]:
    """What the APIs take: pictures, texts, or both (where nothing says)."""
    given = {(entry.get("input") or {}).get("kind") for entry in entries}
    return [kind for kind in ("image", "text") if kind in given] or ["image", "text"]


def _slots(parameters: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> List[Slot]:
    """Where the input may go, the likeliest first."""
    ranked: List[Tuple[int, int, Slot]] = []
    for number, parameter in enumerate(parameters):
        forms, hinted = _forms(parameter)
        for rank, form in enumerate(forms):
            penalty = rank + (0 if hinted else 3) + (2 if parameter["default"] else 0)
            for kind in kinds:
                if (kind == "text") >= (form == "text") and not (
                    kind == "text" and form in ("pil", "numpy")
                ):
                    likely = penalty - (2 if form == "text" else 0)
                    ranked.append((likely, number, Slot(parameter["name"], form, kind)))
    return [slot for _, _, slot in sorted(ranked, key=lambda item: item[:2])]


def _forms(parameter: Mapping[str, Any]) -> Tuple[List[str], bool]:
    annotation = str(parameter["annotation"] or "")
    name = parameter["name"].lower()
    preferred: List[str] = []
    for word, forms in _ANNOTATED.items():
        if word in annotation:
            preferred += forms
    for words, forms in _HINTS:
        if any(word in name for word in words.split()):
            preferred += forms
    return list(dict.fromkeys([*preferred, *_FORMS])), bool(preferred)


def _explained(ending: Mapping[str, Any]) -> str:
    if ending["kind"] == "raised":
        return (
            f"raised {ending['exception']} ({ending['message'][:120]}) at "
            f"{ending['path']}:{ending['line']} before any ML API was asked"
        )
    if ending["kind"] == "timed-out":
        return f"took longer than {ending['seconds']:g} s before any ML API was asked"
    if ending["kind"] == "not-run":
        return str(ending["reason"])
    return "returned without asking an ML API"


def picture(width: int, height: int, note: bytes) -> bytes:
    """A small valid PNG, grey, with ``note`` as its comment."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    rows = b"".join(
        b"\0" + bytes((x * 5 + y * 3) % 256 for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"tEXt", b"Comment\0" + note)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


_PICTURE = picture(8, 8, b"")
