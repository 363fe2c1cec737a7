"""Rules of the analyzer ``properties``."""

from __future__ import annotations

from analyzers.rules.rule import Rule
from analyzers.vocabulary import Level

CRASH = Rule(
    id="property/crash",
    level=Level.FAILURE,
    title="A valid input crashes the function",
    why="Callers may pass this input: the annotations, the types or the code itself allow it.",
    fix="Handle the input, or refuse it on purpose: a raise or an assert about the arguments is"
    " no crash. If the input is not valid, say which inputs are: docs/annotations.md lists the"
    " words, and `assayer annotate` proposes them.",
)

POSTCONDITION = Rule(
    id="property/postcondition",
    level=Level.FAILURE,
    title="A postcondition does not hold after a call with a valid input",
    why="Callers rely on what the annotation or the return type promises.",
    fix="Correct the function, or the `#@ensure` or `#@returns` annotation (a return type counts"
    " as one) that promises more than intended.",
)

INVALID_ANNOTATION = Rule(
    id="property/invalid-annotation",
    level=Level.WARNING,
    title="An annotation cannot be read or can never be met",
    why="Without a valid annotation no input can be made, so the function is not tested.",
    fix="Correct the annotation at the column that is named; docs/annotations.md lists the words.",
)

REMOVED_API = Rule(
    id="property/removed-api",
    level=Level.WARNING,
    title="Uses a name that the installed version of a library lacks",
    why="The code raises as soon as it uses the name.",
    fix="Use the replacement that is named, or bound the library's version in the project's"
    " dependencies.",
)

RULES = (CRASH, POSTCONDITION, INVALID_ANNOTATION, REMOVED_API)
