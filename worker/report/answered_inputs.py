"""The answer that stands for an input in every format, in a few words, with its origin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.vocabulary import (
    AnswerSource,
    Exchange,
    Finding,
    Input,
    Json,
    JsonObject,
    Probe,
)
from worker.report.report_messages import clipped, failing_probes

LONGEST = 140


ORIGINS = {AnswerSource.SIMULATED: "simulated", AnswerSource.LOCAL: "local stand-in"}
"""The words for answers that the provider did not give."""


@dataclass(frozen=True, slots=True)
class AnsweredInput:
    """An input of a finding and the answers to it; ``failing``: it shows the finding."""

    item: Input
    answer: str
    failing: bool
    answered_by: str

    @property
    def simulated(self) -> bool:
        """Return whether an answer was made up."""
        return self.answered_by == AnswerSource.SIMULATED

    @property
    def said(self) -> str:
        """The answer with its origin, where it is not the provider's."""
        return with_origin(self.answer, self.answered_by)


def answered_inputs(finding: Finding) -> list[AnsweredInput]:
    """Return the finding's inputs in order, each once, with answers that show the finding first."""
    failing = failing_probes(finding)
    chosen: dict[str, tuple[Input, Probe]] = {}
    for probe in (*failing, *finding.probes):
        for item in probe.inputs:
            chosen.setdefault(item.digest, (item, probe))
    shows = {item.digest for probe in failing for item in probe.inputs}
    order = dict.fromkeys(item.digest for probe in finding.probes for item in probe.inputs)
    return [_answered(*chosen[digest], failing=digest in shows) for digest in order]


def with_origin(answer: str, answered_by: str) -> str:
    """Return an answer in words, marked where it is not the provider's."""
    origin = next((words for source, words in ORIGINS.items() if source == answered_by), "")
    return f"{answer} ({origin})" if answer and origin else answer


def _answered(item: Input, probe: Probe, *, failing: bool) -> AnsweredInput:
    script = probe.script or ()
    sources = {exchange.source for exchange in script}
    graver = (AnswerSource.SIMULATED, AnswerSource.LOCAL, AnswerSource.RECORDING)
    source = next((each for each in graver if each in sources), AnswerSource.PROVIDER)
    words = "; ".join(map(answer_words, script))
    return AnsweredInput(item, words, failing, source.value if script else "")


def answer_words(exchange: Exchange) -> str:
    """Return the labels, the text or the sentiment; other answers as short JSON."""
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
