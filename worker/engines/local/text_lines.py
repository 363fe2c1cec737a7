"""Pieces of writing found on a picture, put together to lines and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
Quad: TypeAlias = tuple[Point, Point, Point, Point]
Size: TypeAlias = tuple[int, int]
"""Width and height of a picture, in pixels."""

SAME_ROW = 0.5
WIDEST_GAP = 2.0


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A run of characters and its corners (x, y in pixels), clockwise from the top left one."""

    text: str
    corners: Quad
    confidence: float

    @property
    def left(self) -> float:
        """The leftmost x."""
        return min(x for x, _ in self.corners)

    @property
    def right(self) -> float:
        """The rightmost x."""
        return max(x for x, _ in self.corners)

    @property
    def top(self) -> float:
        """The topmost y."""
        return min(y for _, y in self.corners)

    @property
    def bottom(self) -> float:
        """The lowest y."""
        return max(y for _, y in self.corners)

    def words(self) -> Iterator[TextPiece]:
        """Its words, each with its share of the corners by its characters."""
        start = 0
        for part in self.text.split(" "):
            if part:
                yield self.part(start, start + len(part))
            start += len(part) + 1

    def symbols(self) -> Iterator[TextPiece]:
        """Its characters."""
        return (self.part(at, at + 1) for at in range(len(self.text)))

    def part(self, start: int, end: int) -> TextPiece:
        """Return the characters from ``start`` to ``end``, evenly spaced."""
        top_left, top_right, bottom_right, bottom_left = self.corners
        first, last = start / len(self.text), end / len(self.text)
        corners = (
            _between(top_left, top_right, first),
            _between(top_left, top_right, last),
            _between(bottom_left, bottom_right, last),
            _between(bottom_left, bottom_right, first),
        )
        return TextPiece(self.text[start:end], corners, self.confidence)


@dataclass(frozen=True, slots=True)
class TextLine:
    """Words that stand on one line, from left to right; never none."""

    words: Sequence[TextPiece]

    @property
    def text(self) -> str:
        """The words with a space between each two."""
        return " ".join(word.text for word in self.words)

    def as_piece(self) -> TextPiece:
        """Return the line as one piece in an upright rectangle, as sure as its words on average."""
        return frame(self.words)


def frame(words: Sequence[TextPiece]) -> TextPiece:
    """Words of a line as one piece in the upright rectangle around them."""
    left, right = min(w.left for w in words), max(w.right for w in words)
    top, bottom = min(w.top for w in words), max(w.bottom for w in words)
    return TextPiece(
        " ".join(word.text for word in words),
        ((left, top), (right, top), (right, bottom), (left, bottom)),
        sum(word.confidence for word in words) / len(words),
    )


def lines_of(pieces: Sequence[TextPiece]) -> list[TextLine]:
    """Return the words of all pieces by lines; lines without a word are left out."""
    found = [tuple(word for piece in row for word in piece.words()) for row in rows(pieces)]
    return [TextLine(words) for words in found if words]


def rows(pieces: Sequence[TextPiece]) -> list[list[TextPiece]]:
    """Return the pieces as lines from top to bottom.

    Pieces share a line when they overlap in height by more than half, at most twice it apart.
    """
    lines: list[list[TextPiece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.left, piece.top)):
        line = next((line for line in lines if _continues(line[-1], piece)), None)
        if line is None:
            lines.append([piece])
        else:
            line.append(piece)
    return sorted(lines, key=lambda line: (line[0].top, line[0].left))


def _continues(before: TextPiece, piece: TextPiece) -> bool:
    height = min(before.bottom - before.top, piece.bottom - piece.top)
    shared = min(before.bottom, piece.bottom) - max(before.top, piece.top)
    gap = piece.left - before.right
    return shared > SAME_ROW * height and -height < gap <= WIDEST_GAP * height


def _between(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
