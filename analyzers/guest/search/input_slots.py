"""Where an input may go, and in what form: guessed from names and annotations."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, MutableMapping, Optional, Sequence, Tuple

from ..inputs import project_files
from ..protocol import input_paths
from ..protocol.api_calls import ApiRequest
from ..protocol.input_paths import InputPath

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
_KINDS = ("image", "text", "audio")
_SUFFIXES = {"text": ".txt", "image": ".png", "audio": ".wav"}
_UNFIT = {"text": ("pil", "numpy"), "image": ("text",), "audio": ("text", "pil", "numpy")}
_LIST = re.compile(r"\b(list|List|Sequence|Iterable|Tuple|tuple|Collection)\[(.*)\]")
_MEDIA = {
    "image": project_files.PICTURES,
    "text": project_files.TEXTS,
    "audio": project_files.SOUNDS,
}
MOST_FORMS = 4


@dataclass(frozen=True)
class InputSlot:
    """A place, and how it may take the input; ``kind``: text, image or audio."""

    key: str
    form: str
    kind: str

    @property
    def place(self) -> InputPath:
        """Where the input goes."""
        return input_paths.parse(self.key)

    @property
    def content(self) -> Dict[str, Any]:
        """The content argument without a content."""
        return {"kind": "content", "form": self.form, "suffix": _SUFFIXES[self.kind]}


def kinds_of(entries: Sequence[Mapping[str, Any]]) -> List[str]:
    """What the APIs take: pictures, texts, sounds, or (where nothing says) the first two."""
    inputs = [entry.get("input") or {} for entry in entries]
    given = {kind for each in inputs for kind in (each.get("kind"), *each.get("also", ()))}
    return [kind for kind in _KINDS if kind in given] or ["image", "text"]


def of_parameters(parameters: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> List[InputSlot]:
    """The parameters themselves, the likeliest first."""
    ranked: List[Tuple[int, int, InputSlot]] = []
    for number, parameter in enumerate(parameters):
        forms, hinted = _forms(parameter["name"], str(parameter["annotation"] or ""))
        for rank, form in enumerate(forms):
            penalty = rank + (0 if hinted else 3) + (2 if parameter["default"] else 0)
            for kind in kinds:
                if form not in _UNFIT[kind]:
                    likely = penalty - (2 if form == "text" else 0)
                    ranked.append((likely, number, InputSlot(parameter["name"], form, kind)))
    return [slot for _, _, slot in sorted(ranked, key=lambda item: item[:2])]


def of_place(place: InputPath, kinds: Sequence[str], annotation: str = "") -> List[InputSlot]:
    """What a place may be given; nothing where it is none for an input."""
    if place.file is not None:
        name = place.file.lower()
        fitting = [kind for kind in kinds if name.endswith(_MEDIA[kind])]
        return [InputSlot(str(place), "text" if k == "text" else "bytes", k) for k in fitting]
    return [
        InputSlot(str(place), form, kind)
        for form in _forms_at(place, annotation)
        for kind in kinds
        if form not in _UNFIT[kind]
    ]


def _forms_at(place: InputPath, annotation: str) -> Sequence[str]:
    if place.root == input_paths.CAMERA:
        return ("numpy",) if not place.steps else ()
    if place.root == input_paths.INPUT:
        return ("text", "path") if not place.steps else ()
    if place.root == input_paths.ARGUMENTS:
        return () if place.steps in ((), (("item", 0),)) else ("path", "text")
    first = place.steps[0] if place.steps else ("", "")
    if first[0] == "attribute" and (
        first[1] in input_paths.WEB or place.root == input_paths.REQUEST
    ):
        return _sent(str(first[1]), whole=len(place.steps) == 1)
    last = place.steps[-1][1] if place.steps else place.root
    named = last if isinstance(last, str) else place.root.rstrip("s")
    inner = _LIST.search(annotation)
    return _forms(named, inner.group(2) if inner else "")[0][:MOST_FORMS]


def _sent(field: str, *, whole: bool) -> Sequence[str]:
    """The forms in which a request holds an input."""
    if field in ("data", "body"):
        return ("bytes", "text") if whole else ("text", "base64", "path")
    if whole or field not in input_paths.WEB - {"method"}:
        return ()
    return ("file",) if field.lower() == "files" else ("text", "base64", "path", "file")


def is_likely(place: InputPath, annotation: Optional[str]) -> bool:
    """Whether a part of a parameter is a better guess than the whole."""
    kind, name = place.steps[0]
    if kind == "attribute":
        return name in input_paths.WEB and (len(place.steps) > 1 or name in ("data", "body"))
    if name != 0:
        return False
    plural = place.root.endswith("s") and not place.root.endswith("ss")
    return _LIST.search(annotation) is not None if annotation else plural


def _forms(name: str, annotation: str) -> Tuple[List[str], bool]:
    """The forms to try, and whether anything speaks for the first of them."""
    preferred: List[str] = []
    for word, forms in _ANNOTATED.items():
        if word in annotation:
            preferred += forms
    for words, forms in _HINTS:
        if any(word in name.lower() for word in words.split()):
            preferred += forms
    return list(dict.fromkeys([*preferred, *_FORMS])), bool(preferred)


_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF", b"II*", b"MM")
_WAVE_HEADER = 44


class Markers:
    """The markers, put among the blobs of a target."""

    def __init__(self, blobs: MutableMapping[str, bytes]) -> None:
        self._texts = [b"Quince jam 7", b"Violet owls 9"]
        self._pictures = [picture(37, 23, b"marker one"), picture(41, 29, b"marker two")]
        self._sounds = [sound(41), sound(53)]
        kinds = {"text": self._texts, "image": self._pictures, "audio": self._sounds}
        for kind, contents in kinds.items():
            for number, content in enumerate(contents):
                blobs[f"marker-{kind}-{number}"] = content

    def argument(self, slot: InputSlot, number: int) -> Dict[str, Any]:
        """The content argument that carries a marker into a slot."""
        return {**slot.content, "blob": f"marker-{slot.kind}-{number}"}

    def carried(self, request: ApiRequest) -> bool:
        """Whether a request carries the first marker of a kind as it is."""
        content, text = request.content, request.text
        if isinstance(text, (bytes, bytearray)):
            text = bytes(text).decode("utf-8", "replace")
        if isinstance(text, str) and self._texts[0].decode().casefold() in text.casefold():
            return True
        if isinstance(content, str):
            content = content.encode("utf-8", "replace")
        if not isinstance(content, (bytes, bytearray)):
            return False
        whole = (self._pictures[0], self._sounds[0])
        looked_for = [*whole, *map(base64.b64encode, whole), self._sounds[0][_WAVE_HEADER:]]
        return any(marker in content for marker in looked_for)


def contents(requests: Sequence[ApiRequest], slot: InputSlot) -> List[Any]:
    """The pictures or sounds asked about, as they were encoded again; or the texts.

    A path is no text that was asked about.
    """
    if slot.kind == "audio":
        return [request.content for request in requests if request.content]
    if slot.kind == "image":
        pictures = [request.content for request in requests]
        return [p for p in pictures if isinstance(p, bytes) and p.startswith(_MAGIC)]
    if slot.form == "path":
        return []
    return [request.text for request in requests if request.text]


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


def sound(step: int) -> bytes:
    """A WAV file of a tenth of a second: 16 bits, 16 kHz, one channel."""
    samples = struct.pack("<1600h", *((n * step) % 8191 for n in range(1600)))
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16)
    data = form + struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI4s", b"RIFF", len(data) + 4, b"WAVE") + data
