"""Sentences about the evidence on valid inputs: who says what is valid, and what was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzers.vocabulary import Json

OFFERED = "Annotations that say what was inferred"
MOST_OFFERS = 4
MOST_LINES = 40
SAID = frozenset(
    (
        "exception", "raised_at", "message", "arguments", "annotations", "matters", "seen",
        "executions", "passed", "refused", "postcondition", "detail", "annotation", "problem",
        "column", "name", "replacement", "since", "proposed", "call", "related", "outcome",
        "expected", "note", "library_version", "api", "error_ratio", "first_layer", "mutations",
        "input_range", "layer", "layers", "model", "versions", "used_at", "cause", "stated",
    )
)  # fmt: skip
"""Keys of evidence that the messages of these rules say themselves, or that are said here."""


@dataclass(frozen=True, slots=True)
class AnnotationOffer:
    """Annotations that belong right before a line, the first being 1."""

    path: str
    line: int
    lines: tuple[str, ...]


def is_about_valid_inputs(rule: str) -> bool:
    """Return whether a rule is of an analyzer that draws valid inputs."""
    return rule.startswith(("property/", "relation/", "model/"))


def valid_input_lines(evidence: Mapping[str, Json], message: str) -> list[tuple[str, str]]:
    """Return what was tried and who says what is valid, as ``(name, value)`` pairs."""
    return [*_tried(evidence), *_annotations(evidence, message)]


def _tried(evidence: Mapping[str, Json]) -> list[tuple[str, str]]:
    executions = evidence.get("executions")
    if not isinstance(executions, int):
        return []
    parts = [
        f"{number:,} {did}"
        for name, did in (("passed", "returned"), ("refused", "were refused by the code"))
        if isinstance(number := evidence.get(name), int) and number
    ]
    return [("inputs tried", ", ".join([f"{executions:,}", *parts]))]


def _annotations(evidence: Mapping[str, Json], message: str) -> list[tuple[str, str]]:
    said = evidence.get("annotations")
    return [
        (name.removeprefix("self."), _said(term))
        for name, term in (said.items() if isinstance(said, Mapping) else ())
        if isinstance(term, Mapping) and f"`{term.get('constraint')}`" not in message
    ]


def _said(term: Mapping[str, Json]) -> str:
    constraint = f"`{term.get('constraint', '')}`"
    if term.get("given"):
        return f"{constraint}, annotated"
    where = f", {term['where']}" if term.get("where") else ""
    sure = f" ({term['confidence']})" if term.get("confidence") else ""
    return f"{constraint}, inferred: {term.get('source', '')}{where}{sure}"


def offers_of(evidence: Mapping[str, Json]) -> tuple[AnnotationOffer, ...]:
    """Return the annotations that a finding was found by, where nobody had written them."""
    proposed = evidence.get("proposed")
    listed = proposed if isinstance(proposed, Sequence) and not isinstance(proposed, str) else ()
    found = (_offer(each) for each in listed[:MOST_OFFERS] if isinstance(each, Mapping))
    return tuple(offer for offer in found if offer is not None)


def _offer(said: Mapping[str, Json]) -> AnnotationOffer | None:
    path, line, lines = said.get("path"), said.get("line"), said.get("lines")
    if not isinstance(path, str) or type(line) is not int or line < 1:
        return None
    if not isinstance(lines, Sequence) or isinstance(lines, str):
        return None
    texts = tuple(text for text in lines if isinstance(text, str))
    usual = 0 < len(texts) == len(lines) <= MOST_LINES and all(map(_is_comment, texts))
    return AnnotationOffer(path, line, texts) if usual else None


def _is_comment(text: str) -> bool:
    """Return whether a text is one line that is a comment: nothing else may be offered so."""
    return text.isprintable() and text.lstrip(" ").startswith("#")
