"""Pictures from outside: checked before they are decoded, then decoded once."""

from __future__ import annotations

import io
import struct
import warnings
from zlib import error as ZlibError  # noqa: N812 - an exception's name

from PIL import Image, ImageOps, UnidentifiedImageError

from analyzers.vocabulary import JsonObject
from worker.engines.engine import NoAnswer, Rejected

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
TIFF = (b"II*\0", b"MM\0*")
MOST_PIXELS = 40_000_000
_AWS_FAULTS = {
    "aws.rekognition": "InvalidImageFormatException",
    "aws.textract": "UnsupportedDocumentException",
}
_UNREADABLE = (
    UnidentifiedImageError,
    OSError,
    SyntaxError,
    ValueError,
    IndexError,
    KeyError,
    EOFError,
    OverflowError,
    struct.error,
    ZlibError,
)


class NotAnImage(ValueError):  # noqa: N818 - a fact about the bytes
    """The bytes are not a picture of a known format, or a broken one."""


def decode(content: bytes, longest: int) -> Image.Image:
    """Return the first frame as RGB, upright, on white, at most ``longest``.

    Raises ``NotAnImage``, and ``NoAnswer`` for a TIFF or more than 40 million pixels.
    """
    if content.startswith(TIFF):
        raise NoAnswer("TIFF pictures are not decoded here")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise NoAnswer(
                        f"the picture has {picture.width} × {picture.height} pixels,"
                        f" more than {MOST_PIXELS // 1_000_000} million"
                    )
                picture.draft("RGB", (longest, longest))
                upright = ImageOps.exif_transpose(picture)
                upright.thumbnail((longest, longest), reducing_gap=2.0)
                if not upright.has_transparency_data:
                    return upright.convert("RGB")
                layer = upright.convert("RGBA")
                paper = Image.new("RGBA", layer.size, "white")
                return Image.alpha_composite(paper, layer).convert("RGB")
        except Image.DecompressionBombError as error:
            raise NoAnswer(str(error)) from error
        except _UNREADABLE as error:
            raise NotAnImage(str(error)) from error


def picture_fault(api: str) -> JsonObject:
    """Return an API's answer to bytes that are no picture; raise ``Rejected`` where it refuses."""
    provider = api.rpartition(".")[0]
    if provider in _AWS_FAULTS:
        message = "Request has unsupported or invalid image format"
        return {"Error": {"Code": _AWS_FAULTS[provider], "Message": message}}
    if provider.startswith("google."):
        return {"error": {"code": 3, "message": "Bad image data."}}
    raise Rejected(f"{provider} rejected the picture: it is none", "InvalidImageFormat")
