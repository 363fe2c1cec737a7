"""Rules of the analyzer ``properties``."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

CRASH = Rule(
    id="property/crash",
    level=Level.FAILURE,
    title="A valid input crashes the function",
    why="Callers may pass this input: the annotations, the types or the code itself allow it.",
    fix="Handle the input, or refuse it on purpose: a raise or an assert about the arguments is"
    " no crash. If the input is not valid, say which inputs are: docs/annotations.md lists the"
    " words, and `assayer annotate` proposes them.",
    failing=(
        Example(
            """\
# @arg(parts): ints(min=0, max=8)
def share(parts):
    return 100 / parts
""",
        ),
    ),
    passing=(
        Example(
            """\
# @arg(parts): ints(min=0, max=8)
def share(parts):
    if parts < 1:
        raise ValueError("parts must be positive")
    return 100 / parts
""",
        ),
    ),
)

POSTCONDITION = Rule(
    id="property/postcondition",
    level=Level.FAILURE,
    title="A postcondition does not hold after a call with a valid input",
    why="Callers rely on what the annotation or the return type promises.",
    fix="Correct the function, or the `#@ensure` or `#@returns` annotation (a return type counts"
    " as one) that promises more than intended.",
    failing=(
        Example(
            """\
# @arg(values): int_lists(min_len=1, max_len=5)
# @ensure(unchanged(values))
def largest(values):
    values.sort()
    return values[-1]
""",
        ),
    ),
    passing=(
        Example(
            """\
# @arg(values): int_lists(min_len=1, max_len=5)
# @ensure(unchanged(values))
def largest(values):
    return sorted(values)[-1]
""",
        ),
    ),
)

INVALID_ANNOTATION = Rule(
    id="property/invalid-annotation",
    level=Level.WARNING,
    title="An annotation cannot be read or can never be met",
    why="Without a valid annotation no input can be made, so the function is not tested.",
    fix="Correct the annotation at the column that is named; docs/annotations.md lists the words.",
    failing=(
        Example(
            """\
# @arg(parts): intz(min=1, max=8)
def share(parts):
    return 100 / parts
""",
        ),
    ),
    passing=(
        Example(
            """\
# @arg(parts): ints(min=1, max=8)
def share(parts):
    return 100 / parts
""",
        ),
    ),
)

REMOVED_API = Rule(
    id="property/removed-api",
    level=Level.FAILURE,
    title="A changed line uses a name that the installed version of a library lacks",
    why="The function raises as soon as it runs the line with the version that is installed.",
    fix="Use what the library offers instead, or bound its version in the project's dependencies."
    " A line that runs with older versions only belongs behind a check of the version.",
    failing=(
        Example(
            """\
import numpy as np


# @arg(x): floats(min=0, max=9)
def whole(x):
    return np.int(x)
""",
            base="""\
def whole(x):
    return int(x)
""",
        ),
    ),
    passing=(
        Example(
            """\
import numpy as np


# @arg(x): floats(min=0, max=9)
def whole(x):
    return np.int(x) if hasattr(np, "int") else int(x)
""",
            base="""\
def whole(x):
    return int(x)
""",
        ),
    ),
)

RULES = (CRASH, POSTCONDITION, INVALID_ANNOTATION, REMOVED_API)


def removed_api(name: str, library: str, instead: str) -> tuple[str, str]:
    """Describe a name that a library lacks, or an argument: ``keras.layers.Dense(init)``."""
    owner, _, argument = name.removesuffix(")").partition("(")
    lack = f"`{owner}` takes no `{argument}`" if argument else f"there is no `{name}`"
    other = f"`{instead}`" if instead else "what this version offers instead"
    return (
        f"In the installed version of {library} {lack}",
        f"In the installed version of {library} {lack}. Use {other}, or bound the version in the"
        " project's dependencies.",
    )
