"""What an ML API answered, in a few words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from analyzers.vocabulary import Exchange, Finding, Input, Json, JsonObject, Probe
from worker.report.wording import clipped

LONGEST = 140


def answers_of(probe: Probe) -> list[tuple[str, str]]:
    """``(API, answer in words)`` of each recorded exchange of a probe."""
    return [(exchange.api, answer_words(exchange)) for exchange in probe.script or ()]


def answer_to(item: Input, finding: Finding) -> str:
    """What the API answered to an input of a finding, in words; empty where it is not known."""
    probe = next((probe for probe in finding.probes if item in probe.inputs), None)
    return "; ".join(said for _, said in answers_of(probe)) if probe else ""


def answer_words(exchange: Exchange) -> str:
    """The labels, the text or the sentiment; other answers as short JSON."""
    answer = exchange.answer
    for field, value in _lists(answer):
        if _names(value):
            return clipped(_named(field, _names(value)), LONGEST)
    sentiment = answer.get("document_sentiment")
    if isinstance(sentiment, Mapping):
        return ", ".join(f"{name} {sentiment.get(name, 0)}" for name in ("score", "magnitude"))
    if not any(answer.values()):
        return "nothing"
    return clipped(json.dumps(answer, ensure_ascii=False), LONGEST)


def _lists(answer: JsonObject) -> Iterator[tuple[str, Json]]:
    """The lists of an answer, and those one step further in."""
    for field, value in answer.items():
        if isinstance(value, Mapping):
            yield from value.items()
        else:
            yield field, value


def _named(field: str, names: list[str]) -> str:
    if field == "text_annotations":
        return f"“{' '.join(names[0].split())}”"
    return ", ".join(names)


def _names(value: Json) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    found = [
        item.get("description") or item.get("name") or item.get("Name")
        for item in value
        if isinstance(item, Mapping)
    ]
    return [str(name) for name in found if name]
