"""Text pictures, drawn so that a person would surely read them."""

from __future__ import annotations

import io
import itertools
import random
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageStat

from analyzers.vocabulary import Input, InputKind, Origin, Supply, Wanted
from worker.sources import backgrounds, fonts
from worker.sources.backgrounds import Background
from worker.sources.fonts import Font, FontKind

LARGEST = 40
SMALLEST = 28
MARGIN = 28
WIDTHS = (480, 640, 800)
MOST_LINES = 12
MOST_CHARACTERS = 800
OUTLINE = 2
WORD_SPACE = 0.55
MOST_BYTES = 100_000
_LINE_HEIGHT = 1.5
LOWEST = 96
_BLANK_SIZE = (480, 160)


class Illegible(Exception):  # noqa: N818 - a fact about the text
    """The text cannot be drawn so that a person would surely read it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines that fit on a picture of ``width`` × ``height`` pixels."""

    lines: tuple[str, ...]
    size: int
    width: int
    height: int


def find(wanted: Wanted, count: int, seed: int) -> Supply:
    """Draw ``count`` pictures of the wanted words, or pictures without words.

    Font kinds and backgrounds take turns; the same seed draws the same
    pictures.  The words are wrapped, never changed.
    """
    chance = random.Random(f"{seed}/{wanted.reading}")  # noqa: S311
    if wanted.reading is None or not wanted.reading.strip():
        return Supply(tuple(_empty(number, chance) for number in range(count)))
    text = wanted.reading
    usable = [font for font in fonts.installed() if font.can_draw(text)]
    if not usable:
        return Supply((), f"no installed font can draw {text!r}")
    pictures: list[Input] = []
    try:
        for font, background in itertools.islice(_cells(usable, chance), count):
            pictures.append(picture(text, font, background, chance))
    except Illegible as problem:
        return Supply(tuple(pictures), str(problem))
    return Supply(tuple(pictures))


def _cells(usable: list[Font], chance: random.Random) -> itertools.chain[tuple[Font, Background]]:
    """Endless pairs that use every kind × background equally often."""
    kinds = [kind for kind in FontKind if any(f.kind is kind for f in usable)]
    rows = {kind: [f for f in usable if f.kind is kind] for kind in kinds}
    for row in rows.values():
        chance.shuffle(row)
    turns = {kind: itertools.cycle(row) for kind, row in rows.items()}
    grounds = list(backgrounds.available())
    chance.shuffle(grounds)
    cells = [(kind, ground) for ground in grounds for kind in kinds]
    return itertools.chain.from_iterable(
        [(next(turns[kind]), ground)] for kind, ground in itertools.cycle(cells)
    )


def lay_out(text: str, font: Font) -> Layout:
    """Find room for ``text``: unbroken if it can be, then as large as it can be.

    Raises:
        Illegible: it does not fit at the smallest legible size.

    """
    if len(text) > MOST_CHARACTERS:
        raise Illegible(f"{len(text)} characters are too many to draw legibly")
    sizes = range(LARGEST, SMALLEST - 1, -4)
    for breaks, size, width in itertools.product((0, MOST_LINES), sizes, WIDTHS):
        lines = _wrapped(text, font, size, width - 2 * MARGIN)
        if lines is None or len(lines) > min(MOST_LINES, len(text.splitlines()) + breaks):
            continue
        height = round(len(lines) * size * _LINE_HEIGHT) + 2 * MARGIN
        return Layout(lines, size, width, max(height, LOWEST))
    raise Illegible(f"{len(text)} characters are too many to draw legibly")


def _wrapped(text: str, font: Font, size: int, width: int) -> tuple[str, ...] | None:
    """``text`` in lines of at most ``width`` pixels, or ``None``."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split(" "):
            if _length(word, font, size) > width:
                return None
            longer = f"{line} {word}" if line else word
            if _length(longer, font, size) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return tuple(lines)


def _length(line: str, font: Font, size: int) -> float:
    words = line.split(" ")
    space = _space(font, size) * (len(words) - 1)
    return space + sum(font.at(size).getlength(word) for word in words)


def _space(font: Font, size: int) -> float:
    """Pixels between two words: wide enough that nobody joins them."""
    return max(font.at(size).getlength(" "), WORD_SPACE * size)


def picture(text: str, font: Font, background: Background, chance: random.Random) -> Input:
    """A picture of ``text``.  Raises ``Illegible``."""
    layout = lay_out(text, font)
    canvas = backgrounds.paint(background, (layout.width, layout.height), chance)
    _write(canvas, layout, font, background)
    style = f"{font.kind} ({font.name}, {layout.size} px) on {background}"
    return _input(canvas, f"{text!r} {style}", text)


def _empty(number: int, chance: random.Random) -> Input:
    grounds = backgrounds.available()
    background = grounds[number % len(grounds)]
    canvas = backgrounds.paint(background, _BLANK_SIZE, chance)
    return _input(canvas, f"{background} without words", None)


def _write(canvas: Image.Image, layout: Layout, font: Font, background: Background) -> None:
    """Black or white, whichever stands out, outlined where the ground varies."""
    dark = ImageStat.Stat(canvas.convert("L")).mean[0] < 128
    ink, outline = ("white", "black") if dark else ("black", "white")
    width = 0 if background is Background.BLANK else OUTLINE
    pen, face = ImageDraw.Draw(canvas), font.at(layout.size)
    for number, line in enumerate(layout.lines):
        left = float(MARGIN)
        top = MARGIN + number * layout.size * _LINE_HEIGHT
        for word in line.split(" "):
            pen.text((left, top), word, ink, face, stroke_width=width, stroke_fill=outline)
            left += face.getlength(word) + _space(font, layout.size)


def _input(canvas: Image.Image, description: str, reading: str | None) -> Input:
    """A PNG where that is small, else the best JPEG that is."""
    png = _encoded(canvas, "PNG")
    if len(png) <= MOST_BYTES:
        return _made(png, ".png", description, reading)
    for quality in (92, 85, 75):
        jpeg = _encoded(canvas, "JPEG", quality=quality)
        if len(jpeg) <= MOST_BYTES:
            return _made(jpeg, ".jpg", description, reading)
    raise Illegible("the picture stays larger than a small file")


def _encoded(canvas: Image.Image, kind: str, **options: int) -> bytes:
    file = io.BytesIO()
    canvas.save(file, kind, optimize=True, **options)
    return file.getvalue()


def _made(content: bytes, suffix: str, description: str, reading: str | None) -> Input:
    origin = Origin("drawn")
    return Input(InputKind.IMAGE, content, description, reading, suffix, origin)
