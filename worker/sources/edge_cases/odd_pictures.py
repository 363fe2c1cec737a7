"""Odd pictures."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Iterator
from functools import lru_cache

from PIL import Image

from analyzers.vocabulary import Input, InputKind, InputSupply, Origin
from worker.sources import face_pictures, fonts, text_pictures
from worker.sources.edge_cases.odd_texts import ENGLISH, FOREIGN, LINES, shuffled, taken
from worker.sources.text_pictures import Background

WRITING = frozenset({"text", "document"})
LARGE = (4000, 3000)
MOST_BYTES = 3_000_000
_TILE = (400, 300)
_WRITING_WIDTH = 2400
_ORIGIN = Origin("drawn")


def nothing(_: str, count: int, seed: int) -> InputSupply:
    """Paper, noise and photographs without words or faces."""
    return text_pictures.blank(count, seed)


@lru_cache(maxsize=8)
def several(task: str, count: int, seed: int) -> InputSupply:
    """Several lines, faces or things."""
    if task in WRITING:
        made = (text_pictures.write(text, 1, seed).inputs for text in shuffled(LINES, seed))
        return taken(itertools.chain.from_iterable(made), count, "writings of several lines")
    if task == "faces":
        return taken(face_pictures.crowds(count, seed), count, "crowds of faces")
    return taken(_collages(seed), count, "collages")


@lru_cache(maxsize=8)
def huge(task: str, count: int, seed: int) -> InputSupply:
    """Pictures of 12 million pixels."""
    words = shuffled(ENGLISH, seed)[0] if task in WRITING else None
    return taken(_large(words, seed), count, "large pictures")


@lru_cache(maxsize=8)
def foreign(task: str, count: int, seed: int) -> InputSupply:
    """Words in other languages, as far as fonts can draw them."""
    if task not in WRITING:
        return InputSupply((), "only words are foreign")
    made = (
        text_pictures.write(sentence, 1, seed).inputs
        for at in range(2)
        for each in FOREIGN
        if not each.leftward and any(f.can_draw(each.sentences[at]) for f in fonts.installed())
        for sentence in (each.sentences[at],)
    )
    return taken(itertools.chain.from_iterable(made), count, "foreign writings")


def _collages(seed: int) -> Iterator[Input]:
    chance = random.Random(f"{seed}/collage")  # noqa: S311
    kinds = text_pictures.available()
    for _ in range(10):
        canvas = Image.new("RGB", (2 * _TILE[0], 2 * _TILE[1]))
        for place in range(4):
            kind = Background.PHOTOGRAPH if Background.PHOTOGRAPH in kinds else Background.NOISE
            tile = text_pictures.paint(kind, _TILE, chance)
            canvas.paste(tile, (place % 2 * _TILE[0], place // 2 * _TILE[1]))
        yield _input(canvas, "four pictures in one", None)


def _large(words: str | None, seed: int) -> Iterator[Input]:
    """Pictures of 12 million pixels, with a sentence on them or not."""
    chance = random.Random(f"{seed}/large")  # noqa: S311
    for kind in (Background.PHOTOGRAPH, Background.BLANK):
        if kind not in text_pictures.available():
            continue
        canvas = text_pictures.paint(kind, LARGE, chance)
        if words is not None:
            writing = text_pictures.write(words, 1, seed).inputs
            for item in writing:
                with Image.open(io.BytesIO(item.content)) as drawing:
                    canvas.paste(_wide(drawing), (200, 200))
        yield _input(canvas, f"a picture of {LARGE[0]} × {LARGE[1]} pixels", words)


def _wide(picture: Image.Image) -> Image.Image:
    height = round(picture.height * _WRITING_WIDTH / picture.width)
    return picture.convert("RGB").resize((_WRITING_WIDTH, height))


def _input(canvas: Image.Image, description: str, reading: str | None) -> Input:
    """A JPEG of 3 MB at most."""
    for quality in (85, 70, 50, 30):
        file = io.BytesIO()
        canvas.save(file, "JPEG", quality=quality)
        if len(file.getvalue()) <= MOST_BYTES:
            break
    return Input(InputKind.IMAGE, file.getvalue(), description, reading, ".jpg", _ORIGIN)
