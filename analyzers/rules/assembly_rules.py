"""Rules of the analyzer ``assembly``."""

from __future__ import annotations

from analyzers.rules.rule import Rule
from analyzers.vocabulary import Level

UNCHECKED_BOUNDARY = Rule(
    id="assembly/unchecked-boundary",
    level=Level.WARNING,
    title="A layer accepts an illegal value",
    why="Neither the library nor the code refuses the value; results are wrong without an error.",
    fix="Refuse the value before the layer is built. The suggested guard was tried.",
)

STATE = Rule(
    id="assembly/state",
    level=Level.WARNING,
    title="Assembled code fails where its parts work",
    why="A legal configuration value breaks the model, or training diverges.",
    fix="Compute the sizes of layers from the parameters that may be set, or remove those"
    " parameters. Where training diverges: look for square roots, logarithms and divisions whose"
    " derivative at zero is infinite.",
)

RULES = (UNCHECKED_BOUNDARY, STATE)
