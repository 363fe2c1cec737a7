"""All sources asked, and what they say put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.inference import (
    callees,
    calls,
    defaults,
    docstrings,
    frameworks,
    guards,
    hints,
    names,
    observed,
    shapes,
)
from analyzers.inference.merging import merged
from analyzers.inference.nouns import Fact, Inference, Subject
from analyzers.vocabulary import ObservedCall

SOURCES = (hints, calls, guards, frameworks, shapes, defaults, docstrings, names)
"""The sources of the paper's Table 1, and what else tells; callees come on top."""


def inferred(subject: Subject, recorded: Sequence[ObservedCall] = ()) -> Inference:
    """What is known of a function's arguments without an annotation of theirs."""
    facts = [*_own(subject), *callees.facts(subject, _own)]
    return merged([*facts, *observed.facts(subject, recorded)])


def _own(subject: Subject) -> Iterator[Fact]:
    for source in SOURCES:
        yield from source.facts(subject)
