"""Pictures from elsewhere: only real ones, none large."""

from __future__ import annotations

import io

from PIL import Image

from analyzers.vocabulary import Input, InputKind, Origin
from worker.engines.engine import NoAnswer
from worker.engines.local.image_decoding import NotAnImage, decode

LONGEST = 1024
SHORTEST = 64
KEPT_BYTES = 300_000
MOST_BYTES = 16 * 1024 * 1024
SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "GIF": ".gif", "BMP": ".bmp", "WEBP": ".webp"}

EVERYDAY = ("bicycle", "teapot", "bridge", "guitar", "staircase", "pencil", "sailboat", "clock")
"""Things to search for where a picture of anything else will do."""


class UnusablePicture(ValueError):  # noqa: N818 - a fact about the file
    """Not a picture, or one that is too small or too large."""


def picture(content: bytes, description: str, reading: str | None, origin: Origin) -> Input:
    """Return an input of a file's bytes, as JPEG of at most 1,024 pixels where large.

    Raises ``UnusablePicture`` where they are no picture of a sane size.
    """
    if len(content) > MOST_BYTES:
        raise UnusablePicture("the file is larger than 16 MiB")
    try:
        decoded = decode(content, LONGEST)
    except (NotAnImage, NoAnswer) as error:
        raise UnusablePicture(str(error)) from error
    if min(decoded.size) < SHORTEST:
        raise UnusablePicture("the picture is smaller than 64 pixels")
    suffix = _suffix(content)
    if len(content) > KEPT_BYTES or suffix not in {".png", ".jpg"}:
        file = io.BytesIO()
        decoded.save(file, "JPEG", quality=85, optimize=True)
        content, suffix = file.getvalue(), ".jpg"
    return Input(InputKind.IMAGE, content, description, reading, suffix, origin)


def _suffix(content: bytes) -> str:
    with Image.open(io.BytesIO(content)) as opened:
        return SUFFIXES.get(opened.format or "", "")
