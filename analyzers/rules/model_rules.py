"""Rules of the analyzer ``models``."""

from __future__ import annotations

from analyzers.rules.rule import Rule
from analyzers.vocabulary import Level

_LOWER = "warning for executions that the project does not use"

DIVERGENCE = Rule(
    id="model/divergence",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model returns another result on another execution of the same mathematics",
    why="The exported, compiled or moved model is not the one that was trained and evaluated.",
    fix="Start at the first layer that differs, at the line that is named: write the same with"
    " other operators, or compare with the exported model in the project's own tests.",
)

NON_FINITE = Rule(
    id="model/non-finite",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model returns infinite or undefined values on some executions only",
    why="Infinity and NaN spread through every later computation.",
    fix="Start at the first layer with such values and the range of its inputs: bound the inputs"
    " before the layer, or compute it in a form that does not overflow.",
)

CRASH = Rule(
    id="model/crash",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model runs eagerly and fails on another execution",
    why="The model cannot be used where the project exports, compiles or moves it.",
    fix="At the line that is named, use operators that the other execution supports, or do not"
    " run the model there.",
)

NOT_COMPILED = Rule(
    id="model/not-compiled",
    level=Level.NOTICE,
    title="A compiled model runs eagerly, in whole or in part",
    why="The results are right, but the compiler makes nothing faster.",
    fix="The finding says which part the compiler leaves out, and why.",
)

RULES = (DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED)
