"""State of one search: the calls of the target, and what they reached."""

from __future__ import annotations

import math
import random
import re
import struct
import time
from dataclasses import dataclass, field, replace
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

from ..protocol.api_calls import Answer, ApiRequest, NoAnswer, RecordedAnswers, set_supplier
from ..runtime import standins, time_limits
from ..runtime.execution import PreparedTarget, Result, execute
from ..runtime.time_limits import CLOCK, TimeUp
from .answer_models.answer_model import AnswerModel, MutationParameters
from .answer_models.label_answers import among
from .answer_models.model_registry import model_for
from .code_constants import ORDINARY, ConstantPool
from .structured_answers import shaped

_NAMERS: Mapping[str, str] = {
    "google.language.analyze_entities": "google.language",
    "google.language.analyze_entity_sentiment": "google.language",
}
"""APIs that list what a text names, by whose recognition they share."""


class ConsistentAnswers:
    """The answers of one run, kept so that none contradicts another."""

    def __init__(self) -> None:
        self._named: Dict[Tuple[str, Any, Any, Any], MutationParameters] = {}

    def agreeing(self, request: ApiRequest, knobs: MutationParameters) -> MutationParameters:
        """The entries of an answer, named like those of the first one on the same text."""
        recognizer = _NAMERS.get(request.api)
        if recognizer is None or not isinstance(knobs, tuple):
            return knobs
        asked = (recognizer, request.content_digest, request.text, request.uri)
        entries = _of_text(knobs, request.text or "")
        first: Tuple[Any, ...] = self._named.setdefault(asked, entries)
        if first is entries:
            return entries
        scores = [score for _, score in knobs]
        return tuple(
            (name, scores[at] if at < len(scores) else 0.0) for at, (name, _) in enumerate(first)
        )


_WORD = re.compile(r"[^\W\d_]{2,}")


def _of_text(knobs: Tuple[Any, ...], text: str) -> Tuple[Any, ...]:
    """The entries with words of the text for names that mean nothing to the code."""
    words = list(dict.fromkeys(_WORD.findall(text)))
    plain = [name for name, _ in knobs if name.startswith(ORDINARY)]
    named = dict(zip(plain, words))
    return tuple((named.get(name, name), score) for name, score in knobs)


Arguments = Dict[str, Dict[str, Any]]
SECONDS = 1.0
_SINGLE = ("google.",)
_FREE_FORM = frozenset({"chat", "completion"})
"""Tasks of which the answer may be any text."""
_FLOAT = struct.Struct("f")
CLOCK.never_interrupt(__file__)


@dataclass(frozen=True)
class AnswerCandidate:
    """One call: the knobs of every API's answers in order, and the literals."""

    plan: Mapping[str, Tuple[MutationParameters, ...]] = field(default_factory=dict)
    literals: Mapping[str, str] = field(default_factory=dict)

    def answering(self, api: str, *knobs: MutationParameters) -> AnswerCandidate:
        """This candidate with other answers of one API."""
        return replace(self, plan={**self.plan, api: knobs})


class CandidateSupplier:
    """Answers from a candidate, in the wire's precision; ``script`` keeps the exact numbers."""

    faithful = False

    def __init__(
        self,
        models: CatalogueModels,
        plan: Mapping[str, Sequence[MutationParameters]],
        *,
        exact: bool = False,
    ) -> None:
        self._single = () if exact else _SINGLE
        self._models = models
        self._plan = plan
        self._given: List[Tuple[str, MutationParameters]] = []
        self._together = ConsistentAnswers()
        self.asked: Dict[str, int] = {}

    def __call__(self, request: ApiRequest) -> Answer:
        """The next answer of the API; raises ``NoAnswer`` without a model."""
        model = self._models[request.api]
        number = self.asked.get(request.api, 0)
        self.asked[request.api] = number + 1
        planned = self._plan.get(request.api)
        knobs = planned[min(number, len(planned) - 1)] if planned else model.start()
        knobs = self._models.fitting(request, knobs)
        knobs = shaped(knobs, request, self._models.keys)
        knobs = self._together.agreeing(request, knobs)
        self._given.append((request.api, knobs))
        return model.answer(_single(knobs) if request.api.startswith(self._single) else knobs)

    @property
    def script(self) -> List[Dict[str, Any]]:
        """The answers given so far, as the protocol writes a script."""
        return [
            {"api": api, "answer": self._models[api].answer(knobs)} for api, knobs in self._given
        ]


def _single(knobs: MutationParameters) -> MutationParameters:
    if isinstance(knobs, tuple):
        return tuple(map(_single, knobs))
    return _FLOAT.unpack(_FLOAT.pack(knobs))[0] if isinstance(knobs, float) else knobs


class CatalogueModels:
    """The models of the APIs in a catalogue."""

    def __init__(self, entries: Sequence[Mapping[str, Any]], keys: Sequence[str] = ()) -> None:
        """``keys`` are those that code may read of JSON for which a request asks."""
        self.keys = keys
        self._entries = {entry["name"]: entry for entry in entries}
        self._made: Dict[str, AnswerModel] = {}

    def __getitem__(self, api: str) -> AnswerModel:
        if api not in self._made:
            model = model_for(self._entries.get(api, {"name": api}))
            if model is None:
                raise NoAnswer(f"no model of the answers of {api}")
            self._made[api] = model
        return self._made[api]

    def fitting(self, request: ApiRequest, knobs: MutationParameters) -> MutationParameters:
        """The knobs of an answer to this request: about the labels that it names, if any.

        Some answers rate each of the API's classes.
        """
        entry = self._entries.get(request.api, {})
        classes: Sequence[str] = entry.get("classes") or ()
        if classes and int(entry.get("least") or 0) >= len(classes):
            return among(knobs, classes, shared=False)
        labels = request.parameters.get(str(entry.get("labelled_by")))
        if isinstance(labels, str):
            labels = [label.strip() for label in labels.split(",") if label.strip()]
        if not labels:
            return knobs
        return among(knobs, labels, shared=not request.parameters.get("multi_label"))


@dataclass
class FoundAnswer:
    """A candidate that reaches a goal; ``confirmed`` with real messages."""

    candidate: AnswerCandidate
    script: List[Dict[str, Any]]
    confirmed: bool


class SearchCampaign:
    """One search of one target.

    ``asked`` is the candidate under which each of ``apis`` was asked most; ``notes`` name cuts.
    """

    def __init__(
        self, prepared: PreparedTarget, arguments: Arguments, goals: Sequence[str], seed: int
    ) -> None:
        self.prepared = prepared
        self.arguments = arguments
        self.models = CatalogueModels(prepared.entries)
        self.rng = random.Random(seed)
        self.apis: List[str] = []
        self.asked: Dict[str, Tuple[int, AnswerCandidate]] = {}
        self.executions = 0
        self.notes: List[str] = []
        self.pool: ConstantPool = ConstantPool([], [], [])
        numbers = {point: number for number, point in enumerate(prepared.points)}
        self.goals = {numbers[goal]: goal for goal in goals if goal in numbers}
        self.first: Dict[int, AnswerCandidate] = {}
        self.crashes: Dict[Tuple[str, str, int], Tuple[AnswerCandidate, Dict[str, Any]]] = {}
        self.seen: Set[int] = set()
        self._endings: Set[Tuple[Any, ...]] = set()

    @property
    def missing(self) -> Set[int]:
        """The goals that nothing has reached yet."""
        return self.goals.keys() - self.first.keys()

    def run(self, candidate: AnswerCandidate) -> bool:
        """Call the target with light messages; whether it reached something new."""
        supplier = CandidateSupplier(self.models, candidate.plan)
        ending = self._call(candidate, supplier)
        for api, times in supplier.asked.items():
            if api not in self.apis:
                self.apis.append(api)
            if times > self.asked.get(api, (0, candidate))[0]:
                self.asked[api] = times, candidate
        if ending is None:
            return False
        new = self.prepared.recorder.hits - self.seen
        for number in new & self.goals.keys():
            self.first[number] = candidate
        self.seen |= new
        if ending not in self._endings:
            self._endings.add(ending)
            self._note_crash(candidate)
            return True
        return bool(new)

    def _call(
        self, candidate: AnswerCandidate, supplier: CandidateSupplier
    ) -> Optional[Tuple[Any, ...]]:
        """As :func:`execute`, without describing how it ended; ``None``: unusable."""
        self.executions += 1
        prepared = self.prepared
        prepared.recorder.hits = set()
        session = set_supplier(supplier)
        standins.forget()
        raised: Tuple[Any, ...] = ()
        try:
            CLOCK.start(SECONDS)
            prepared.call(prepared.bind(self.all_arguments(candidate)))
        except TimeUp:
            return None
        except BaseException as error:
            raised = type(error), _line(error)
        finally:
            CLOCK.stop()
        return None if session.refusal is not None or CLOCK.expired else raised

    def execute(self, candidate: AnswerCandidate, supplier: Any) -> Result:
        """Call the target once."""
        self.executions += 1
        return execute(self.prepared, self.all_arguments(candidate), supplier, SECONDS)

    def all_arguments(self, candidate: AnswerCandidate) -> Arguments:
        """The template with the literals of a candidate."""
        if not candidate.literals:
            return self.arguments
        literals = {
            name: {"kind": "literal", "source": source}
            for name, source in candidate.literals.items()
        }
        return {**self.arguments, **literals}

    def hits(self, candidate: AnswerCandidate, *, exact: bool = False) -> FrozenSet[int]:
        """Return the points that a candidate reaches; ``exact``: with unrounded numbers."""
        supplier = CandidateSupplier(self.models, candidate.plan, exact=exact)
        ending = self._call(candidate, supplier)
        return frozenset() if ending is None else frozenset(self.prepared.recorder.hits)

    def ending(self, candidate: AnswerCandidate) -> Dict[str, Any]:
        """Return how a candidate ends."""
        return self.execute(candidate, CandidateSupplier(self.models, candidate.plan)).ending

    def confirmed(self, candidate: AnswerCandidate) -> Tuple[Result, List[Dict[str, Any]]]:
        """Replay a candidate with recorded answers and real messages."""
        supplier = CandidateSupplier(self.models, candidate.plan)
        self.execute(candidate, supplier)
        script = supplier.script
        return self.execute(candidate, RecordedAnswers(script)), script

    def _note_crash(self, candidate: AnswerCandidate) -> None:
        ending = self.ending(candidate)
        if is_crash(ending):
            place = ending["exception"], ending["path"], ending["line"]
            self.crashes.setdefault(place, (candidate, ending))


def is_free_form(prepared: PreparedTarget) -> bool:
    """Return whether the APIs that a target is known to ask may all answer any text."""
    expected = prepared.expected
    return bool(expected) and all(each.get("task") in _FREE_FORM for each in expected)


def usable(result: Result) -> bool:
    """Return whether a call says something about the code."""
    return result.ending["kind"] in ("returned", "raised")


def is_crash(ending: Mapping[str, Any]) -> bool:
    """Return whether the code raised something that it did not mean to."""
    return ending["kind"] == "raised" and not ending["refusal"] and not ending["standin"]


def _line(error: BaseException) -> int:
    """The deepest line of a traceback, to tell exceptions apart."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        line, trace = line * 31 + trace.tb_lineno, trace.tb_next
    return line


_deadline = math.inf


def end_within(seconds: float) -> None:
    """Let all stopwatches of this process be over when so many seconds have passed."""
    global _deadline
    _deadline = time.monotonic() + seconds


class Stopwatch:
    """Tells when this process, or another one, has worked for a time."""

    def __init__(self, seconds: float, process: Optional[int] = None) -> None:
        self._now = time_limits.now if process is None else time_limits.clock_of(process).now
        self._end = self._now() + seconds

    def over(self) -> bool:
        """Return whether the time is over."""
        return self._now() >= self._end or time.monotonic() >= _deadline
