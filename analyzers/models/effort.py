"""How hard to look at a model: as a check of a change does, or as a campaign of its own."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS = 20.0
COMPILING_SECONDS = 60.0
SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Effort:
    """What running one model may take, and what of it is told.

    ``mutants`` at most are made in each of at most ``turns`` searches, each with another
    seed; a search has ``seconds`` at most (``compiling_seconds`` where something is compiled
    first) and ``share`` of the time that is left, the rest is for confirming.  At most
    ``advice`` findings are of mutants.  ``everything``: what no code of the project uses is
    tried and told, too, as a warning.
    """

    mutants: int = 40
    turns: int = 1
    seconds: float = SECONDS
    compiling_seconds: float = COMPILING_SECONDS
    share: float = SHARE
    advice: int = 1
    everything: bool = False


CHECK = Effort()
FUZZ = Effort(mutants=2_000, turns=1_000, seconds=90.0, share=0.6, advice=5, everything=True)
