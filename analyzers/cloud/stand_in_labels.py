"""Labels of a classifier on this machine that stands in for the provider's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import elements, values_at, with_value_at
from analyzers.cloud.api_answers import said, sure
from analyzers.ports import Executor
from analyzers.vocabulary import Json, JsonObject, Level, Probe

TASK = "labels"
CLEAR = 0.5
"""The share of the best score from which on a label counts as seen."""


def stands_in(bench: Executor, api: Api, task: str | None = None) -> str:
    """Return the name of a classifier that stands in for an API's labels, or nothing."""
    return bench.substitute(api.name) if (task or api.task) == TASK else ""


def level_by(stand_in: str, level: Level) -> Level:
    """Return the level of a finding: what a stand-in alone says is a notice."""
    return Level.NOTICE if stand_in else level


@dataclass(frozen=True, slots=True)
class StandInAnswers:
    """Answers of a stand-in for one meaning of an API, beside the reading that was wanted."""

    bench: Executor
    api: Api
    meaning: AnswerMeaning
    reading: str

    def see_it(self, answers: Sequence[JsonObject]) -> bool:
        """Return whether an answer names what the reading says, or a kind of it."""
        return any(self._names(label) for answer in answers for label in self._clear(answer))

    def said_first(self, probe: Probe) -> Probe:
        """Return a recorded probe whose answers say the reading first, surely and in full.

        The order of labels, their scores and what else a label has are the stand-in's own: what
        rests on them is not the code's fault.
        """
        script = tuple(
            each.answering(sure(self.api, self._first(each.answer)))
            if each.api == self.api.name
            else each
            for each in probe.script or ()
        )
        return replace(probe, script=script)

    def _clear(self, answer: JsonObject) -> list[str]:
        """Return the labels of an answer whose scores are not far below the best."""
        labels = said(self.meaning, answer)
        found = values_at(answer, self.api.score_at) if self.api.score_at else []
        scores = [float(score) for score in found if isinstance(score, int | float)]
        if len(scores) != len(labels):
            return list(labels)
        least = CLEAR * max(scores, default=0.0)
        return [label for label, score in zip(labels, scores, strict=True) if score >= least]

    def _names(self, label: str) -> bool:
        """Return whether a label is the reading, another word for it, or a kind of it."""
        if label.casefold() == self.reading.casefold():
            return True
        name = self.api.vocabulary
        if name is not None and catalogue.vocabulary(name).canonical(self.reading) == label:
            return True
        return any(self.bench.is_kind(word, self.reading) for word in label.split(", "))

    def _differs(self, label: str) -> bool:
        return label.casefold() != self.reading.casefold()

    def _first(self, answer: JsonObject) -> JsonObject:
        for path in self.meaning.at:
            outer, _, inner = path.partition("[].")
            entries = _entries(answer, outer)
            usual = _entries(catalogue.load_catalogue().ordinary.get(self.api.name, {}), outer)
            if not inner or not entries or not usual or not isinstance(usual[0], Mapping):
                continue
            labels = [str(label) for entry in entries for label in values_at(entry, inner)]
            named = sorted(filter(self._names, labels), key=self._differs)
            first = [with_value_at(usual[0], inner, label) for label in named]
            others = [each for each in entries if not set(values_at(each, inner)) & set(named)]
            answer = with_value_at(answer, outer, [*first, *others])
        return answer


def _entries(answer: JsonObject, path: str) -> list[Json]:
    return elements(next(iter(values_at(answer, path)), None))
