"""Faces without a known feeling: a hundred of Labeled Faces in the Wild.

They are inside the scikit-image wheel (``lfw_subset``), 25 pixels wide and
grey; enlarged, anybody sees a face, and nobody could name its feeling.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import random
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from PIL import Image

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, Origin
from worker.sources.keyword_search import keyword

FACE = frozenset({"face", "human face", "a face", "a human face"})
COUNT = 100
SIDE = 200
CROWD = (3, 2)
MARGIN = 40
GREY = (150, 150, 150)
_ORIGIN = Origin("lfw_subset", "http://vis-www.cs.umass.edu/lfw/", "G. B. Huang and others")

Pixels: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


def find(wanted: InputRequest, count: int, seed: int) -> InputSupply:
    """Pictures of one face each; a longer supply begins with a shorter one."""
    reading = wanted.reading
    if keyword(reading or "") not in FACE:
        return InputSupply(
            (), f"the faces on this machine have no known feeling: none is {reading!r}"
        )
    order = _order(seed)
    found = tuple(_input([at], (1, 1), "a face", reading) for at in order[:count])
    return InputSupply(found, None if len(found) == count else f"there are {len(found)} faces here")


def crowds(count: int, seed: int) -> tuple[Input, ...]:
    """Pictures of six people's faces each, fewer where faces run out."""
    order, size = _order(seed), CROWD[0] * CROWD[1]
    groups = [order[at : at + size] for at in range(0, len(order) - size + 1, size)]
    return tuple(_input(group, CROWD, f"{size} faces", None) for group in groups[:count])


def _order(seed: int) -> list[int]:
    """Return the numbers of the faces, shuffled; none where scikit-image is not installed."""
    order = list(range(len(_faces())))
    random.Random(f"{seed}/faces").shuffle(order)  # noqa: S311
    return order


def _input(numbers: list[int], grid: tuple[int, int], what: str, reading: str | None) -> Input:
    columns, rows = grid
    step = SIDE + MARGIN
    canvas = Image.new("RGB", (columns * step + MARGIN, rows * step + MARGIN), GREY)
    for place, number in enumerate(numbers):
        face = Image.fromarray(_faces()[number]).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        row, column = divmod(place, columns)
        canvas.paste(face.convert("RGB"), (MARGIN + column * step, MARGIN + row * step))
    file = io.BytesIO()
    canvas.save(file, "JPEG", quality=92)
    return Input(InputKind.IMAGE, file.getvalue(), what, reading, ".jpg", _ORIGIN)


@functools.cache
def _faces() -> Pixels:
    spec = importlib.util.find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        return np.empty((0, 25, 25), np.uint8)
    file = Path(spec.submodule_search_locations[0]) / "data" / "lfw_subset.npy"
    if not file.is_file():
        return np.empty((0, 25, 25), np.uint8)
    with file.open("rb") as stream:
        # between 0 and 1, the faces first
        shades = np.lib.format.read_array(stream, allow_pickle=False)[:COUNT]
    return np.unique((shades * 255).round().astype(np.uint8), axis=0)
