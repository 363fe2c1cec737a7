"""What text pictures are drawn on: blank paper, a photograph, or noise.

The photographs are the free ones inside the scikit-image wheel, without any
writing on them; without scikit-image there are none.
"""

from __future__ import annotations

import functools
import importlib.util
import random
from enum import StrEnum
from pathlib import Path

import numpy as np
from PIL import Image

PHOTOGRAPHS = ("chelsea.png", "coffee.png", "grass.png", "gravel.png", "brick.png")
_PAPERS = ((255, 255, 255), (248, 246, 238), (232, 240, 248), (40, 44, 52))
_NOISE_STEP = 4


class Background(StrEnum):
    """What lies behind the writing."""

    BLANK = "blank"
    PHOTOGRAPH = "photograph"
    NOISE = "noise"


def paint(kind: Background, size: tuple[int, int], chance: random.Random) -> Image.Image:
    """An RGB picture of ``size`` (width, height in pixels) without writing.

    Raises:
        LookupError: there is no photograph on this machine.

    """
    if kind is Background.BLANK:
        return Image.new("RGB", size, chance.choice(_PAPERS))
    if kind is Background.NOISE:
        return _noise(size, chance)
    return _crop(size, chance)


def available() -> tuple[Background, ...]:
    """The backgrounds that can be painted here."""
    return tuple(kind for kind in Background if kind is not Background.PHOTOGRAPH or _photographs())


def _noise(size: tuple[int, int], chance: random.Random) -> Image.Image:
    """Grey or coloured grain of moderate contrast around a light or dark tone."""
    width, height = (side // _NOISE_STEP + 1 for side in size)
    generator = np.random.default_rng(chance.getrandbits(32))
    tone = chance.choice((60, 190))
    grain = generator.normal(tone, 25, (height, width, 3)).clip(0, 255)
    picture = Image.fromarray(grain.astype(np.uint8), "RGB")
    return picture.resize(
        (width * _NOISE_STEP, height * _NOISE_STEP), Image.Resampling.BILINEAR
    ).crop((0, 0, *size))


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
