"""The fonts for text pictures.

Debian's ``fonts-dejavu-core``, ``fonts-liberation``,
``fonts-dkg-handwriting``, ``fonts-humor-sans`` and ``fonts-bwht`` as installed, else Pillow's.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FOLDER = Path("/usr/share/fonts")
_PROBE_SIZE = 24
_MISSING = "\U0010fffd"


class FontKind(StrEnum):
    """The kind of writing."""

    PRINTED = "printed"
    HANDWRITTEN = "handwritten"


@dataclass(frozen=True, slots=True)
class Font:
    """A font (``path`` ``None``: Pillow's); with ``capitals`` small letters look like capitals."""

    name: str
    kind: FontKind
    path: Path | None
    capitals: bool = False

    def at(self, size: int) -> ImageFont.FreeTypeFont:
        """Return the font at a size in pixels."""
        return _loaded(self.path, size)

    def can_draw(self, text: str) -> bool:
        """Return whether every character has a glyph and keeps its case."""
        if self.capitals and text != text.upper():
            return False
        return all(_has_glyph(self.path, letter) for letter in set(text))


_PRINTED = (
    "truetype/dejavu/DejaVuSans.ttf",
    "truetype/liberation/LiberationSans-Regular.ttf",
    "truetype/dejavu/DejaVuSerif.ttf",
    "truetype/liberation/LiberationSerif-Bold.ttf",
    "truetype/dejavu/DejaVuSans-Bold.ttf",
    "truetype/liberation/LiberationSerif-Regular.ttf",
)
_HANDWRITTEN = (
    "opentype/comic-neue/ComicNeue-Regular.otf",
    "truetype/yusei-magic/YuseiMagic-Regular.ttf",
    "opentype/comic-neue/ComicNeue-Bold.otf",
)
_HANDWRITTEN_CAPITALS = ("opentype/bwht/BecauseWeConnect-Regular.otf",)


@functools.cache
def installed(folder: Path = FOLDER) -> tuple[Font, ...]:
    """Return the fonts found under ``folder``, Pillow's own where no printed one is."""
    found = [
        Font(Path(name).stem, kind, folder / name, capitals)
        for names, kind, capitals in (
            (_PRINTED, FontKind.PRINTED, False),
            (_HANDWRITTEN, FontKind.HANDWRITTEN, False),
            (_HANDWRITTEN_CAPITALS, FontKind.HANDWRITTEN, True),
        )
        for name in names
        if (folder / name).is_file()
    ]
    if not any(font.kind is FontKind.PRINTED for font in found):
        found.insert(0, Font("Pillow", FontKind.PRINTED, None))
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _loaded(path: Path | None, size: int) -> ImageFont.FreeTypeFont:
    if path is not None:
        return ImageFont.truetype(path, size)
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise OSError("Pillow was built without FreeType and draws no text")
    return font


@functools.lru_cache(maxsize=4096)
def _has_glyph(path: Path | None, letter: str) -> bool:
    if letter.isspace():
        return letter in " \n"
    drawn = _glyph(path, letter)
    return any(drawn) and drawn != _missing_glyph(path)


@functools.lru_cache(maxsize=64)
def _missing_glyph(path: Path | None) -> bytes:
    return _glyph(path, _MISSING)


def _glyph(path: Path | None, letter: str) -> bytes:
    canvas = Image.new("L", (2 * _PROBE_SIZE, 2 * _PROBE_SIZE))
    font = _loaded(path, _PROBE_SIZE)
    ImageDraw.Draw(canvas).text((_PROBE_SIZE // 2, 0), letter, 255, font)
    return canvas.tobytes()
