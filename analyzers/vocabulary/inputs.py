"""Inputs that a person can read, and wishes for them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum


class InputKind(StrEnum):
    """What an input is to a person."""

    IMAGE = "image"
    TEXT = "text"
    AUDIO = "audio"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an input comes from, with what its licence asks to be said."""

    source: str
    url: str | None = None
    author: str | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """Something a person can read, and what they would read in it.

    ``content`` is the file's bytes (UTF-8 for text).  ``reading`` is the
    common human reading in the terms of the task: the words on a picture,
    the label of what it shows, ``"positive"``/``"negative"`` for a text;
    ``None`` where there is nothing to read (a blank picture).
    """

    kind: InputKind
    content: bytes = field(repr=False)
    description: str
    reading: str | None
    suffix: str
    origin: Origin

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


class Corner(StrEnum):
    """What is odd about an input that is valid all the same (Keeper, section 4.1.3).

    Nothing to find (a blank picture, an empty text, silence); several where
    one is expected (faces, lines, speakers); far more than usual; another
    language than English.
    """

    NOTHING = "nothing"
    SEVERAL = "several"
    HUGE = "huge"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wish for inputs whose common human reading is ``reading``.

    ``None`` wishes for corner cases: inputs as ``corner`` says, in which the
    API should find nothing unless it says otherwise.  ``other_than`` lists
    readings that the inputs must not have; ``task`` is what to find in them
    where it is not what the API is mainly for; ``upon`` is what the picture
    shows besides, where another API is asked about the same one.
    """

    api: str
    reading: str | None
    other_than: tuple[str, ...] = ()
    task: str | None = None
    corner: Corner = Corner.NOTHING
    upon: str | None = None


@dataclass(frozen=True, slots=True)
class Supply:
    """The inputs found for a wish; ``shortfall`` says why there are fewer."""

    inputs: tuple[Input, ...]
    shortfall: str | None = None
