"""Words set in lines, large enough and with room between them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from worker.sources.fonts import Font

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
