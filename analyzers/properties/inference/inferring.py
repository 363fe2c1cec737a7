"""All sources asked, and what they say put together."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.properties.inference import (
    callees,
    calls,
    defaults,
    docstrings,
    documents,
    frameworks,
    guards,
    hints,
    names,
    observed,
    shapes,
)
from analyzers.properties.inference.merging import merged
from analyzers.properties.inference.nouns import Fact, Inference, Subject
from analyzers.vocabulary import ObservedCall

SOURCES = (
    hints,
    calls,
    documents,
    guards,
    frameworks,
    shapes,
    callees,
    defaults,
    docstrings,
    names,
)
"""The sources of the paper's Table 1 in its order, and what else tells."""


def inferred(subject: Subject, recorded: Sequence[ObservedCall] = ()) -> Inference:
    """What is known of a function's arguments without an annotation of theirs."""
    facts: list[Fact] = [fact for source in SOURCES for fact in source.facts(subject)]
    facts += observed.facts(subject, recorded)
    return merged(facts)
