"""Rules of the analyzer ``relations``."""

from __future__ import annotations

from analyzers.rules.rule import Rule
from analyzers.vocabulary import Level

VALUE = Rule(
    id="relation/value",
    level=Level.WARNING,
    title="A call of a library returns another value than an equivalent call",
    why="One of the two values is wrong, and the code continues with it.",
    fix="Use the equivalent call if its value is the right one, or refuse the arguments before"
    " the call. The finding has the smallest arguments, both results and the library's version.",
)

STATUS = Rule(
    id="relation/status",
    level=Level.WARNING,
    title="A call of a library hangs, or accepts what its documentation forbids",
    why="The library does not check these arguments, so a mistake goes unnoticed.",
    fix="Check the arguments before the call.",
)

CRASH = Rule(
    id="relation/crash",
    level=Level.FAILURE,
    lower="warning where the input is not certainly valid",
    title="A call of a library terminates the process",
    why="No exception handler helps: the process ends, with everything that runs in it.",
    fix="Check the arguments before the call, or use the equivalent call.",
)

RULES = (VALUE, STATUS, CRASH)
