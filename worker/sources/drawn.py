"""Text pictures, drawn so that a person would surely read them."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from PIL import Image, ImageDraw, ImageStat

from analyzers.vocabulary import Input, InputKind, Origin, Supply
from worker.sources import backgrounds, fonts
from worker.sources.backgrounds import Background
from worker.sources.fonts import Font, FontKind
from worker.sources.layout import LINE_HEIGHT, MARGIN, Illegible, Layout, lay_out, space

OUTLINE = 2
MOST_BYTES = 100_000
MOST_BYTES_UPON = 400_000
PLAY = 24
"""Pixels by which the writing's place differs from one picture to the next."""
MOST_IN_VAIN = 50
_BLANK_SIZE = (480, 160)
_WIDEST = 1024
_ORIGIN = Origin("drawn")

Ground = Background | Input


def write(text: str, count: int, seed: int, upon: Sequence[Input] = ()) -> Supply:
    """Draw ``count`` different pictures of words, on the usual grounds or upon pictures.

    Kinds of fonts and grounds take turns; the same seed draws the same
    pictures, and a longer supply begins with a shorter one.  The words are
    wrapped, never changed.
    """
    chance = random.Random(f"{seed}/{text}")  # noqa: S311
    usable = [font for font in fonts.installed() if font.can_draw(text)]
    if not usable:
        return Supply((), f"no installed font can draw {text!r}")
    grounds: list[Ground] = list(upon or backgrounds.available())
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
        return Supply(tuple(found.values()), str(problem))
    enough = len(found) == count
    return Supply(tuple(found.values()), None if enough else f"{text!r} is drawn {len(found)} ways")


def blank(count: int, seed: int) -> Supply:
    """Draw ``count`` pictures without words; a longer supply begins with a shorter one."""
    chance = random.Random(f"{seed}/blank")  # noqa: S311
    found: dict[str, Input] = {}
    for number in range(2 * count):
        if len(found) < count:
            item = _empty(number, chance)
            found[item.digest] = item
    return Supply(tuple(found.values()))


def _cells(
    usable: list[Font], grounds: list[Ground], chance: random.Random
) -> Iterator[tuple[Font, Ground]]:
    """Endless pairs that use every kind of font × ground equally often."""
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
    canvas = backgrounds.paint(ground, (layout.width + PLAY, layout.height + PLAY), chance)
    _write(canvas, layout, font, play, outlined=ground is not Background.BLANK)
    style = f"{font.kind} ({font.name}, {layout.size} px) on {ground}"
    return _input(canvas, f"{text!r} {style}", text, plain=ground is Background.BLANK)


def _upon(ground: Input, text: str, layout: Layout, font: Font, play: tuple[int, int]) -> Input:
    """The whole picture with words at its foot, on no more than half of it."""
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


def _empty(number: int, chance: random.Random) -> Input:
    grounds = backgrounds.available()
    background = grounds[number % len(grounds)]
    width, height = (side + chance.randrange(PLAY) for side in _BLANK_SIZE)
    canvas = backgrounds.paint(background, (width, height), chance)
    plain = background is Background.BLANK
    return _input(canvas, f"{background} without words", None, plain=plain)


def _write(
    canvas: Image.Image, layout: Layout, font: Font, play: tuple[int, int], *, outlined: bool
) -> None:
    """Black or white, whichever stands out, outlined where the ground varies."""
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
    """A PNG where the ground is ``plain``, else the best JPEG that is small.

    Photographs and grain as PNG take a hundred times as long and are large.
    """
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
