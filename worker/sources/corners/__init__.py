"""Inputs that are valid and odd: nothing in them, several, far more than usual, foreign.

Keeper, section 4.1.3.  A longer supply begins with a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from analyzers.vocabulary import Corner, InputKind, Supply
from worker.sources.corners import pictures, recordings, texts
from worker.sources.voices import Mute

Maker: TypeAlias = Callable[[str, int, int], Supply]
"""Makes inputs for a task: at most so many, of a seed."""

MAKERS: Mapping[tuple[InputKind, Corner], Maker] = {
    (InputKind.TEXT, Corner.NOTHING): texts.nothing,
    (InputKind.TEXT, Corner.SEVERAL): texts.several,
    (InputKind.TEXT, Corner.HUGE): texts.huge,
    (InputKind.TEXT, Corner.FOREIGN): texts.foreign,
    (InputKind.IMAGE, Corner.NOTHING): pictures.nothing,
    (InputKind.IMAGE, Corner.SEVERAL): pictures.several,
    (InputKind.IMAGE, Corner.HUGE): pictures.huge,
    (InputKind.IMAGE, Corner.FOREIGN): pictures.foreign,
    (InputKind.AUDIO, Corner.NOTHING): recordings.nothing,
    (InputKind.AUDIO, Corner.SEVERAL): recordings.several,
    (InputKind.AUDIO, Corner.HUGE): recordings.huge,
    (InputKind.AUDIO, Corner.FOREIGN): recordings.foreign,
}


def find(corner: Corner, kind: InputKind, task: str, count: int, seed: int) -> Supply:
    """At most ``count`` inputs that are odd in one way; the same for a seed.

    Raises:
        KeyError: there are no odd inputs of that kind.

    """
    try:
        return MAKERS[kind, corner](task, count, seed)
    except Mute as problem:
        return Supply((), str(problem))
