"""The same call in double precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

from ..comparing import MISSING, difference
from ..nouns import Disagreement
from ..outcomes import shown
from .steady import conditioned
from .trial import Trial

NAME = "float64"
RELATED = "the same call on float64"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The value within the precision that its own inputs have."""
    if not trial.is_rounded or trial.precise is MISSING:
        return
    tolerance = replace(trial.tolerance, dtypes=False)
    text = difference(trial.value, trial.precise, trial.library, tolerance)
    if text is not None and conditioned(trial, trial.precise, tolerance):
        yield trial.told(NAME, RELATED, (shown(trial.value), shown(trial.precise)), text)
