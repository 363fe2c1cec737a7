"""Inputs as small pictures inside a page."""

from __future__ import annotations

import base64
import io
import warnings

from PIL import Image

WIDTH, HEIGHT = 320, 240
MOST_PIXELS = 50_000_000
LARGEST_UNTOUCHED = 12_000
_UNTOUCHED = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif"}


def thumbnail(content: bytes) -> str | None:
    """A ``data:`` URI of at most 320 x 240 pixels; ``None`` for no picture.

    Small pictures stay as they are, others become JPEG.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(content))
            if image.width * image.height > MOST_PIXELS:
                return None
            kind = _UNTOUCHED.get(image.format or "")
            small = image.width <= WIDTH and image.height <= HEIGHT
            if kind and small and len(content) <= LARGEST_UNTOUCHED:
                image.verify()
                return _uri(kind, content)
            return _uri("image/jpeg", _reduced(image))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
        return None


def _reduced(image: Image.Image) -> bytes:
    image.thumbnail((WIDTH, HEIGHT))
    flat = Image.new("RGB", image.size, "white")
    layered = image.convert("RGBA")
    flat.paste(layered, mask=layered.getchannel("A"))
    buffer = io.BytesIO()
    flat.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()


def _uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
