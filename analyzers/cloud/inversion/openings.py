"""Texts in many shapes, one of which may get code to ask at all.

Code that wants a command, a field or JSON asks about nothing when it is given
plain words; a search of its branches needs one text that it takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from analyzers import catalogue
from analyzers.cloud.inversion.code_hints import hints_of
from analyzers.cloud.inversion.inverse_steps import InverseStep, codings, paddings, replacements
from analyzers.vocabulary import InputKind, Target

WORDS = "Quince jam 7"
MOST = 800
LONGEST = 2000
SENTENCE = f"{WORDS} was on the table when we came back from the market in the early morning."
PARAGRAPH = " ".join([SENTENCE, "Nobody had opened it yet, and it smelled of summer."] * 3)
DOCUMENTS = (
    " ".join([SENTENCE] * 2),
    PARAGRAPH,
    "\n\n".join([PARAGRAPH] * 3),
    "\n".join([PARAGRAPH] * 4),
)
"""Texts that are long enough for code that refuses a few words: 36, 84, 252 and 336 words."""
MOST_OUTER = 12


def asks_about_text(target: Target) -> bool:
    """Return whether an API that the target asks takes a text."""
    apis = catalogue.load_catalogue().apis
    inputs = [apis[name].input for name in target.apis if name in apis]
    return any(each is not None and each.kind == InputKind.TEXT for each in inputs)


def openings(sources: Mapping[str, str], path: str, function: str) -> tuple[str, ...]:
    """At most ``MOST`` texts with a few words in them, in shapes that the code hints at."""
    hints = hints_of(sources, path, function)
    encodings, around = codings(hints), [*replacements(hints), *paddings(hints)]
    shapes: Iterator[tuple[InverseStep, ...]] = itertools.chain(
        zip([*encodings, *around, *codings(None)]),
        itertools.product(encodings, encodings),
        itertools.product(encodings[:MOST_OUTER], around),
        itertools.product(around, encodings[:MOST_OUTER]),
        itertools.product(around[: 3 * MOST_OUTER], repeat=2),
    )
    texts = (_made(steps) for steps in itertools.islice(shapes, 2 * MOST))
    shaped = (text for text in texts if text and len(text) <= LONGEST)
    found = dict.fromkeys(itertools.chain(DOCUMENTS, shaped))
    return tuple(found)[:MOST]


def _made(steps: tuple[InverseStep, ...]) -> str | None:
    text: str | None = WORDS
    for step in steps:
        text = None if text is None else step.apply(text)
    return text
