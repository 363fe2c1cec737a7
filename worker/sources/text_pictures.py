"""Text pictures, drawn so that a person would surely read them."""

from __future__ import annotations

import functools
import importlib.util
import io
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageStat

from analyzers.vocabulary import Input, InputKind, InputSupply, Origin
from worker.sources import fonts
from worker.sources.fonts import Font, FontKind

PHOTOGRAPHS = ("chelsea.png", "coffee.png", "grass.png", "gravel.png", "brick.png")
_PAPERS = ((255, 255, 255), (248, 246, 238), (232, 240, 248), (40, 44, 52))
_NOISE_STEP = 4


class Background(StrEnum):
    """The background of a writing."""

    BLANK = "blank"
    PHOTOGRAPH = "photograph"
    NOISE = "noise"


def paint(kind: Background, size: tuple[int, int], chance: random.Random) -> Image.Image:
    """Return an RGB picture of ``size`` pixels without writing; raise ``LookupError``."""
    if kind is Background.BLANK:
        return Image.new("RGB", size, chance.choice(_PAPERS))
    if kind is Background.NOISE:
        width, height = (side // _NOISE_STEP + 1 for side in size)
        generator = np.random.default_rng(chance.getrandbits(32))
        tone = chance.choice((60, 190))
        grain = generator.normal(tone, 25, (height, width, 3)).clip(0, 255)
        picture = Image.fromarray(grain.astype(np.uint8), "RGB")
        return picture.resize(
            (width * _NOISE_STEP, height * _NOISE_STEP), Image.Resampling.BILINEAR
        ).crop((0, 0, *size))
    return _crop(size, chance)


def available() -> tuple[Background, ...]:
    """Return the backgrounds that can be painted here."""
    return tuple(kind for kind in Background if kind is not Background.PHOTOGRAPH or _photographs())


def _crop(size: tuple[int, int], chance: random.Random) -> Image.Image:
    photographs = _photographs()
    if not photographs:
        raise LookupError("scikit-image with its photographs is not installed")
    picture = _opened(chance.choice(photographs))
    scale = max(1.0, size[0] / picture.width, size[1] / picture.height)
    enlarged = picture.resize((round(picture.width * scale) + 1, round(picture.height * scale) + 1))
    left = chance.randint(0, enlarged.width - size[0])
    top = chance.randint(0, enlarged.height - size[1])
    return enlarged.crop((left, top, left + size[0], top + size[1]))


@functools.cache
def _photographs() -> tuple[Path, ...]:
    spec = importlib.util.find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        return ()
    folder = Path(spec.submodule_search_locations[0]) / "data"
    return tuple(folder / name for name in PHOTOGRAPHS if (folder / name).is_file())


@functools.lru_cache(maxsize=len(PHOTOGRAPHS))
def _opened(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGB")


LARGEST = 40
SMALLEST = 28
MARGIN = 28
WIDTHS = (480, 640, 800)
MOST_LINES = 12
MOST_CHARACTERS = 800
WORD_SPACE = 0.55
LINE_HEIGHT = 1.5
LOWEST = 96


class Illegible(Exception):  # noqa: N818 - a fact about the text
    """The text cannot be drawn so that a person would surely read it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines that fit on a picture of ``width`` × ``height`` pixels."""

    lines: tuple[str, ...]
    size: int
    width: int
    height: int


def lay_out(text: str, font: Font) -> Layout:
    """Find room for ``text``, unbroken if it can be and large; raise ``Illegible``."""
    if len(text) > MOST_CHARACTERS:
        raise Illegible(f"{len(text)} characters are too many to draw legibly")
    sizes = range(LARGEST, SMALLEST - 1, -4)
    for breaks, size, width in itertools.product((0, MOST_LINES), sizes, WIDTHS):
        lines = _wrapped(text, font, size, width - 2 * MARGIN)
        if lines is None or len(lines) > min(MOST_LINES, len(text.splitlines()) + breaks):
            continue
        height = round(len(lines) * size * LINE_HEIGHT) + 2 * MARGIN
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
    between = space(font, size) * (len(words) - 1)
    return between + sum(font.at(size).getlength(word) for word in words)


def space(font: Font, size: int) -> float:
    """Pixels between two words: wide enough that nobody joins them."""
    return max(font.at(size).getlength(" "), WORD_SPACE * size)


OUTLINE = 2
MOST_BYTES = 100_000
MOST_BYTES_UPON = 400_000
PLAY = 24
"""Pixels by which the writing's place differs from one picture to the next."""
MOST_IN_VAIN = 50
_BLANK_SIZE = (480, 160)
_ORIGIN = Origin("drawn")

Ground = Background | Input


def write(text: str, count: int, seed: int, upon: Sequence[Input] = ()) -> InputSupply:
    """Draw ``count`` different pictures of words, on the usual grounds or upon pictures.

    Fonts and grounds take turns; a longer supply begins with a shorter one.
    """
    chance = random.Random(f"{seed}/{text}")  # noqa: S311
    usable = [font for font in fonts.installed() if font.can_draw(text)]
    if not usable:
        return InputSupply((), f"no installed font can draw {text!r}")
    grounds: list[Ground] = list(upon or available())
    found: dict[str, Input] = {}
    in_vain = 0
    try:
        for font, ground in _cells(usable, grounds, chance):
            if len(found) == count or in_vain == MOST_IN_VAIN:
                break
            item = picture(text, font, ground, chance)
            in_vain = in_vain + 1 if item.digest in found else 0
            found[item.digest] = item
    except Illegible as problem:
        return InputSupply(tuple(found.values()), str(problem))
    enough = len(found) == count
    return InputSupply(
        tuple(found.values()), None if enough else f"{text!r} is drawn {len(found)} ways"
    )


def blank(count: int, seed: int) -> InputSupply:
    """Draw ``count`` pictures without words; a longer supply begins with a shorter one."""
    chance = random.Random(f"{seed}/blank")  # noqa: S311
    found: dict[str, Input] = {}
    for number in range(2 * count):
        if len(found) < count:
            grounds = available()
            background = grounds[number % len(grounds)]
            width, height = (side + chance.randrange(PLAY) for side in _BLANK_SIZE)
            canvas = paint(background, (width, height), chance)
            plain = background is Background.BLANK
            item = _input(canvas, f"{background} without words", None, plain=plain)
            found[item.digest] = item
    return InputSupply(tuple(found.values()))


def _cells(
    usable: list[Font], grounds: list[Ground], chance: random.Random
) -> Iterator[tuple[Font, Ground]]:
    kinds = [kind for kind in FontKind if any(f.kind is kind for f in usable)]
    rows = {kind: [f for f in usable if f.kind is kind] for kind in kinds}
    for row in rows.values():
        chance.shuffle(row)
    turns = {kind: itertools.cycle(row) for kind, row in rows.items()}
    chance.shuffle(grounds)
    for kind, ground in itertools.cycle([(kind, each) for each in grounds for kind in kinds]):
        yield next(turns[kind]), ground


def picture(text: str, font: Font, ground: Ground, chance: random.Random) -> Input:
    """A picture of ``text``.  Raises ``Illegible``."""
    layout = lay_out(text, font)
    play = (chance.randrange(PLAY), chance.randrange(PLAY))
    if isinstance(ground, Input):
        return _upon(ground, text, layout, font, play)
    canvas = paint(ground, (layout.width + PLAY, layout.height + PLAY), chance)
    _write(canvas, layout, font, play, outlined=ground is not Background.BLANK)
    style = f"{font.kind} ({font.name}, {layout.size} px) on {ground}"
    return _input(canvas, f"{text!r} {style}", text, plain=ground is Background.BLANK)


def _upon(ground: Input, text: str, layout: Layout, font: Font, play: tuple[int, int]) -> Input:
    with Image.open(io.BytesIO(ground.content)) as opened:
        shown = opened.convert("RGB")
    width, height = layout.width + PLAY, 2 * (layout.height + PLAY)
    scale = max(width / shown.width, height / shown.height, 1.0)
    canvas = shown.resize((round(shown.width * scale), round(shown.height * scale)))
    foot = canvas.height - layout.height - PLAY
    _write(canvas, layout, font, (play[0], foot + play[1]), outlined=True)
    style = f"{font.kind} ({font.name}, {layout.size} px) upon {ground.description}"
    made = _input(canvas, f"{text!r} {style}", text, plain=False, most=MOST_BYTES_UPON)
    return replace(made, origin=replace(ground.origin, source=f"drawn on {ground.origin.source}"))


def _write(
    canvas: Image.Image, layout: Layout, font: Font, play: tuple[int, int], *, outlined: bool
) -> None:
    left, top = MARGIN + play[0], MARGIN + play[1]
    place = (play[0], play[1], play[0] + layout.width, play[1] + layout.height)
    dark = ImageStat.Stat(canvas.crop(place).convert("L")).mean[0] < 128
    ink, outline = ("white", "black") if dark else ("black", "white")
    width = OUTLINE if outlined else 0
    pen, face = ImageDraw.Draw(canvas), font.at(layout.size)
    for number, line in enumerate(layout.lines):
        across, down = float(left), top + number * layout.size * LINE_HEIGHT
        for word in line.split(" "):
            pen.text((across, down), word, ink, face, stroke_width=width, stroke_fill=outline)
            across += face.getlength(word) + space(font, layout.size)


def _input(
    canvas: Image.Image,
    description: str,
    reading: str | None,
    *,
    plain: bool,
    most: int = MOST_BYTES,
) -> Input:
    png = _encoded(canvas, "PNG") if plain else b""
    if plain and len(png) <= most:
        return _made(png, ".png", description, reading)
    for quality in (92, 85, 75):
        jpeg = _encoded(canvas, "JPEG", quality=quality)
        if len(jpeg) <= most:
            return _made(jpeg, ".jpg", description, reading)
    raise Illegible("the picture stays larger than a small file")


def _encoded(canvas: Image.Image, kind: str, **options: int) -> bytes:
    file = io.BytesIO()
    canvas.save(file, kind, **options)
    return file.getvalue()


def _made(content: bytes, suffix: str, description: str, reading: str | None) -> Input:
    return Input(InputKind.IMAGE, content, description, reading, suffix, _ORIGIN)
