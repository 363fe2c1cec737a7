"""Contents that can be told apart in a request: two of each kind."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any, Dict, List, MutableMapping, Sequence

from ..calls import Request
from .slots import Slot

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

    def argument(self, slot: Slot, number: int) -> Dict[str, Any]:
        """The content argument that carries a marker into a slot."""
        return {**slot.content, "blob": f"marker-{slot.kind}-{number}"}

    def carried(self, request: Request) -> bool:
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


def contents(requests: Sequence[Request], slot: Slot) -> List[Any]:
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
