"""Inputs that are valid and odd: nothing in them, several, far more than usual, foreign.

Keeper, section 4.1.3.  A longer supply begins with a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from analyzers.vocabulary import EdgeCase, InputKind, InputSupply
from worker.sources.edge_cases import odd_pictures, odd_recordings, odd_texts
from worker.sources.spoken_recordings import SpeechUnavailable

Maker: TypeAlias = Callable[[str, int, int], InputSupply]
"""Makes inputs for a task: at most so many, of a seed."""

MAKERS: Mapping[tuple[InputKind, EdgeCase], Maker] = {
    (InputKind.TEXT, EdgeCase.NOTHING): odd_texts.nothing,
    (InputKind.TEXT, EdgeCase.SEVERAL): odd_texts.several,
    (InputKind.TEXT, EdgeCase.HUGE): odd_texts.huge,
    (InputKind.TEXT, EdgeCase.FOREIGN): odd_texts.foreign,
    (InputKind.IMAGE, EdgeCase.NOTHING): odd_pictures.nothing,
    (InputKind.IMAGE, EdgeCase.SEVERAL): odd_pictures.several,
    (InputKind.IMAGE, EdgeCase.HUGE): odd_pictures.huge,
    (InputKind.IMAGE, EdgeCase.FOREIGN): odd_pictures.foreign,
    (InputKind.AUDIO, EdgeCase.NOTHING): odd_recordings.nothing,
    (InputKind.AUDIO, EdgeCase.SEVERAL): odd_recordings.several,
    (InputKind.AUDIO, EdgeCase.HUGE): odd_recordings.huge,
    (InputKind.AUDIO, EdgeCase.FOREIGN): odd_recordings.foreign,
}


def find(corner: EdgeCase, kind: InputKind, task: str, count: int, seed: int) -> InputSupply:
    """Return at most ``count`` inputs that are odd in one way; raise ``KeyError``."""
    try:
        return MAKERS[kind, corner](task, count, seed)
    except SpeechUnavailable as problem:
        return InputSupply((), str(problem))
