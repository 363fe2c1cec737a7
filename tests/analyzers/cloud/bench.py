"""A bench at which nothing is real but the code under test.

A case is a small program and what its API would say.  An input's content is
the answer that it gets, so runs need no state; a search is the list of
answers that it tried.
"""

import hashlib
import json
import tomllib
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cache, cached_property
from itertools import count as ticks
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

from analyzers.guest.instrumentation.goals import RECORD, Recorder, decisions, instrument
from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.answer_shapes import in_shape
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    AnswerSource,
    ApiCall,
    AskedInput,
    BranchOutcome,
    Died,
    EdgeCase,
    ErrorOrigin,
    Exchange,
    Form,
    Goal,
    Input,
    InputArgument,
    InputKind,
    InputSupply,
    NotRun,
    Origin,
    Probe,
    Raised,
    Reason,
    Returned,
    Run,
    SearchResult,
    Target,
    TimedOut,
    Witness,
)
from tests.analyzers.benches import IdleBench
from worker.engines.local.label_detection import is_kind
from worker.executor.guest_conversation import with_script_source

LIKELIHOODS = IntEnum(
    "Likelihood", "VERY_UNLIKELY UNLIKELY POSSIBLE LIKELY VERY_LIKELY"
).__members__
PATH, FUNCTION = "app.py", "check"
REQUIREMENTS = "requirements.txt"
NO_ENGINE = "no engine"
PLAIN = Origin("plain")
DRAWN = Origin("drawn")


class RefusedError(Exception):
    """What an SDK raises for a request that fails."""


class Endless(BaseException):
    """The end of a program that repeats what fails, in place of its limit of time."""


MOST_REFUSED = 30


class Dead(BaseException):
    """What stands for the death of the process."""


@dataclass(frozen=True)
class Case:
    """A program, its API, and the world that it meets.

    ``searched`` are answers that the search tried, ``inputs`` those that
    inputs of a reading get (``""``: inputs with nothing in them; ``"<huge>"``,
    …: odd ones).  A string instead of a list of inputs says why there are none.  ``base`` is the
    program before the change.  ``others`` are other APIs, and what they say
    of each input of a reading.  ``origins`` say by exception where it comes from.
    ``free`` are decisions on which no answer has an influence.
    """

    source: str
    api: str = "google.vision.label_detection"
    searched: Sequence = ()
    inputs: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)
    exhausted: Sequence[str] = ()
    unconfirmed: Sequence[str] = ()
    obstacle: str | None = None
    form: str = "path"
    substitute: bool = False
    seconds: float = 100.0
    threshold: float = 0.75
    path: str = PATH
    also: Sequence[str] = ()
    base: str | None = None
    others: dict = field(default_factory=dict)
    origins: dict = field(default_factory=dict)
    requirements: str = ""
    free: Sequence[int] = ()

    @cached_property
    def target(self) -> Target:
        calls = tuple(
            ApiCall(api, PATH, FUNCTION, called(self.source, api.rpartition(".")[2]))
            for api in (self.api, *self.also)
        )
        asked = tuple(goal for goal in goals(self.source) if goal.decision not in self.free)
        return Target(PATH, FUNCTION, 1, 99, Reason.CHANGED, calls, asked, (PATH,))


def called(source: str, name: str) -> int:
    """The line of the first call of a name, else the first line."""
    lines = source.splitlines()
    return next((n for n, line in enumerate(lines, 1) if f"{name}(" in line), 1)


def goals(source: str):
    """The goals of every decision, as detection makes them."""
    for decision in decisions(source):
        clauses = {clause.ordinal: clause for clause in decision.clauses}
        for ordinal, member, outcome in decision.outcomes:
            place = decision if ordinal is None else clauses[ordinal]
            if ordinal is not None and place.members and member is None and outcome == "true":
                continue
            yield Goal(
                PATH,
                decision.function,
                decision.ordinal,
                ordinal,
                BranchOutcome(outcome),
                decision.line,
                decision.end_line,
                place.text,
                decision.text,
                member,
            )


def answer_of(api: str, said):
    """An answer in the schema's own fields, from what the API says in short."""
    return said if isinstance(said, dict) else SHAPES[api](said)


def _labels(names):
    return {"label_annotations": [{"description": name, "score": 0.9} for name in names]}


def _text(said):
    return {"text_annotations": [{"description": said}]} if said else {}


def _rekognition(names):
    nothing = {"Instances": [], "Parents": [], "Aliases": [], "Categories": []}
    rated = [name if isinstance(name, list) else [name, 91.0] for name in names]
    return {"Labels": [{"Name": name, "Confidence": sure, **nothing} for name, sure in rated]}


def _lines(said):
    lines = [{"DetectedText": line, "Type": "LINE", "Confidence": 99.0} for line in _split(said)]
    words = [{**line, "Type": "WORD", "DetectedText": word}
             for line in lines for word in line["DetectedText"].split()]  # fmt: skip
    return {"TextDetections": lines + words, "TextModelVersion": "3.0"}


def _blocks(said):
    lines = [{"BlockType": "LINE", "Text": line, "Confidence": 99.0} for line in _split(said)]
    return {"Blocks": [{"BlockType": "PAGE"}, *lines], "DocumentMetadata": {"Pages": 1}}


def _faces(emotions):
    return {
        "FaceDetails": [
            {"Emotions": [{"Type": "SAD", "Confidence": 1.0}, {"Type": one, "Confidence": 97.0}]}
            for one in emotions
        ]
    }


def _comprehend(word):
    score = dict.fromkeys(("Positive", "Negative", "Neutral", "Mixed"), 0.02)
    return {"Sentiment": word, "SentimentScore": {**score, word.title(): 0.94}}


def _entities(named):
    return {
        "Entities": [
            {"Text": text, "Type": kind, "Score": 0.95, "BeginOffset": 0, "EndOffset": len(text)}
            for text, kind in named
        ]
    }


def _azure_sentiment(word):
    scores = dict.fromkeys(("positive", "negative", "neutral"), 0.03)
    return {"sentiment": word, "confidence_scores": {**scores, word: 0.94}, "sentences": []}


def _picture(said):
    tags, caption, text = said
    lines = [{"text": line, "words": []} for line in _split(text)]
    return {
        "tags": {"list": [{"name": name, "confidence": 0.9} for name in tags]},
        "caption": {"text": caption or "a brown animal on a lawn", "confidence": 0.8},
        "read": {"blocks": [{"lines": lines}]},
    }


def _moderation(flags):
    found = {name: name in flags for name in ("hate", "harassment", "violence")}
    scores = {name: 0.9 if name in flags else 0.001 for name in found}
    result = {"flagged": bool(flags), "categories": found, "category_scores": scores}
    return {"results": [result]}


def _speech(said):
    heard = {"transcript": said, "confidence": 0.9}
    return {"results": [{"alternatives": [heard]}] if said else []}


def _split(text):
    return [line for line in text.splitlines() if line]


SHAPES = {
    "google.vision.label_detection": _labels,
    "google.vision.text_detection": _text,
    "google.language.analyze_sentiment": lambda said: {
        "document_sentiment": {"score": said[0], "magnitude": said[1]}
    },
    "google.speech.recognize": _speech,
    "aws.rekognition.detect_labels": _rekognition,
    "aws.rekognition.detect_text": _lines,
    "aws.rekognition.detect_faces": _faces,
    "aws.textract.detect_document_text": _blocks,
    "aws.comprehend.detect_sentiment": _comprehend,
    "aws.comprehend.detect_entities": _entities,
    "azure.vision.analyze": _picture,
    "azure.language.analyze_sentiment": _azure_sentiment,
    "openai.moderations": _moderation,
}


@cache
def compiled(source: str, path: str):
    """The program and the points that it records, by their numbers."""
    module, points = instrument(source, path)
    return compile(module, PATH, "exec"), points


class FakeBench(IdleBench):
    """Runs the case's program here, on the answers that inputs carry."""

    def __init__(self, case: Case) -> None:
        super().__init__(plan=ExaminationPlan(inputs=10, recall_threshold=case.threshold))
        self._case = case
        self.proved: list[str] = []
        self.wanted: list[str | None] = []
        self.clock = ticks()

    # ------------------------------------------------------------ the port

    def search(self, target: Target) -> SearchResult:
        case = self._case
        if case.obstacle is not None:
            run = self._run_one(replace(Probe(target.id, {}), script=()))
            failed = [(Probe(target.id, {}, ()), run)] if case.origins else []
            return SearchResult(None, obstacle=case.obstacle, crashes=tuple(failed))
        slot = {} if not case.form else {"path": InputArgument(Form(case.form))}
        template = Probe(target.id, slot)
        tried = [self._made_up(template, answer_of(case.api, said)) for said in case.searched]
        ran = [(probe, self._run_one(probe)) for probe in tried]
        first = {point: probe for probe, run in reversed(ran) for point in run.hits}
        return SearchResult(
            template,
            tuple(
                Witness(goal.id, first[goal.id], goal.id not in map(full, case.unconfirmed))
                for goal in target.goals
                if goal.id in first
            ),
            tuple((p, r) for p, r in ran if isinstance(r.ending, Raised | Died)),
            tuple(map(full, case.exhausted)),
            "lists of at most 3" if case.exhausted else "",
            {full(goal): tuple(strings) for goal, strings in case.constants.items()},
            executions=len(ran),
        )

    def inputs(self, wanted, count: int) -> InputSupply:
        self.wanted.append(wanted.reading)
        odd = "" if wanted.corner is EdgeCase.NOTHING else f"<{wanted.corner}>"
        odd = "<other>" if wanted.other_than else odd
        said = self._case.inputs.get(wanted.reading or odd, [])
        if isinstance(said, str):
            return InputSupply((), said)
        return InputSupply(
            tuple(self._input(each, wanted.reading, n) for n, each in enumerate(said[:count]))
        )

    def run(self, probes: Sequence[Probe]) -> list[Run]:
        return [self._run_one(probe) for probe in probes]

    def run_on_base(self, probes: Sequence[Probe]) -> list[Run] | None:
        if self._case.base is None:
            return None
        before = replace(self._case, source=self._case.base)
        return [self._run_one(probe, before) for probe in probes]

    def base(self, path: str) -> tuple[str, str] | None:
        return None if self._case.base is None else (path, self._case.base)

    def others(self, api: str) -> Sequence[str]:
        return tuple(self._case.others)

    def ask(self, api: str, item: Input):
        said = self._case.others[api][int(item.description.rpartition(" ")[2])]
        return None if said == NO_ENGINE else answer_of(api, said)

    def substitute(self, api: str) -> str:
        return "a stand-in" if self._case.substitute else ""

    def is_kind(self, label: str, reading: str) -> bool:
        return is_kind(label, reading)

    def source(self, path: str) -> str:
        return {PATH: self._case.source, REQUIREMENTS: self._case.requirements}[path]

    def paths(self) -> Sequence[str]:
        return (PATH, REQUIREMENTS) if self._case.requirements else (PATH,)

    def unreachable(self, goal: str) -> None:
        if goal not in self.proved:
            self.proved.append(goal)

    def remaining(self) -> float:
        return self._case.seconds

    # ------------------------------------------------------------- inside

    def _made_up(self, template: Probe, answer) -> Probe:
        plain = Input(InputKind.IMAGE, b"null", "any picture", None, ".png", PLAIN)
        script = (Exchange(self._case.api, "", answer),)
        return replace(template.with_input(plain), script=script)

    def _input(self, said, reading: str | None, number: int) -> Input:
        kind = InputKind.TEXT if self._case.form == "text" else InputKind.IMAGE
        return Input(kind, json.dumps(said).encode(), f"input {number}", reading, "", DRAWN)

    def _run_one(self, probe: Probe, case: Case | None = None) -> Run:
        case = case or self._case
        asked = _Asked(case, probe)
        program, points = compiled(case.source, case.path)
        recorder = Recorder()
        names = {RECORD: recorder, "clock": self.clock.__next__, **asked.functions}
        exec(program, names)
        ending = _called(names[FUNCTION], case)
        if asked.refused:
            return Run(NotRun(NO_ENGINE))
        hits = frozenset(points[number] for number in recorder.hits)
        return Run(ending, hits, tuple(asked.exchanges), asked=tuple(asked.asked))


class _Asked:
    """The API as the program sees it: ``labels()``, ``text()``, ``sentiment()``.

    ``answer()`` is the whole of it in mappings, ``reply()`` in objects, whose
    enums ``message()`` makes members.  A function with the method's name, or
    that method of ``client``, asks a question of its own, of this API or of
    one that is asked ``also``; Google's answers are objects.
    """

    def __init__(self, case: Case, probe: Probe) -> None:
        self._case = case
        self._probe = probe
        self.exchanges: list[Exchange] = []
        self.asked: list[AskedInput] = []
        self.refused = False
        self.functions = {
            "labels": lambda: [
                label["description"] for label in self._ask().get("label_annotations", [])
            ],
            "text": lambda: "".join(
                each["description"] for each in self._ask().get("text_annotations", [])
            ),
            "sentiment": lambda: tuple(self._ask()["document_sentiment"].values()),
            "answer": self._ask,
            "reply": lambda: json.loads(
                json.dumps(self._ask()), object_hook=lambda fields: SimpleNamespace(**fields)
            ),
            "message": lambda: _message(self._ask()),
            **(methods := {a.rpartition(".")[2]: self._method(a) for a in (case.api, *case.also)}),
            "client": SimpleNamespace(**methods),
            "strange": lambda _: self._said() == "strange",
            "die": _die,
        }

    def _method(self, api: str):
        def ask(*question, **named):
            entries = self._probe.script or ()
            answer = next((e.answer for e in entries if e.api == api), None) or self._answer()
            text = repr((question, named))
            digest = hashlib.sha256(text.encode()).hexdigest()
            if "shape" in answer:
                answer = in_shape(answer["shape"], ApiRequest(api), answer["of"])
            if "Delivery" in answer:
                self._refuse(self._sourced(api, digest, answer))
            self.exchanges.append(self._sourced(api, digest, answer))
            if api.startswith("google."):
                return _message(answer)
            self.asked.append(AskedInput(api, InputKind.TEXT, digest, len(text), text))
            return answer

        return ask

    def _ask(self):
        answer = self._answer()
        exchange = self._sourced(self._case.api, "digest", answer)
        if "Delivery" in answer:
            self._refuse(exchange)
        self.exchanges.append(exchange)
        return answer

    def _refuse(self, exchange: Exchange) -> NoReturn:
        if len(self.exchanges) >= MOST_REFUSED:
            raise Endless
        self.exchanges.append(exchange)
        raise RefusedError(exchange.api)

    def _sourced(self, api: str, digest: str, answer) -> Exchange:
        if self._probe.script is not None:
            return with_script_source(Exchange(api, digest, answer), self._probe.script)
        local = self._case.substitute
        return Exchange(api, digest, answer, AnswerSource.LOCAL if local else AnswerSource.PROVIDER)

    def _said(self):
        return json.loads(self._probe.inputs[0].content) if self._probe.inputs else None

    def _answer(self):
        if self._probe.script is not None:
            answer = self._probe.script[0].answer
            if "shape" in answer:
                answer = in_shape(answer["shape"], ApiRequest(self._case.api), answer["of"])
            return answer
        said = self._said()
        if said == NO_ENGINE:
            self.refused = True
            raise RuntimeError(NO_ENGINE)
        return answer_of(self._case.api, said)


class Message(SimpleNamespace):
    """An answer's fields; those of Google that it lacks are empty."""

    def __getattr__(self, name):
        if name.endswith("annotations"):
            return []
        if name == "error":
            return Message(code=0, message="")
        raise AttributeError(name)


def _message(answer):
    def made(fields):
        return Message(
            **{n: LIKELIHOODS.get(v, v) if isinstance(v, str) else v for n, v in fields.items()}
        )

    return json.loads(json.dumps(answer), object_hook=made)


def _die():
    raise Dead


def _called(function, case: Case):
    try:
        return Returned(repr(function("a path")))
    except Dead:
        return Died(11)
    except Endless:
        return TimedOut(1.0)
    except Exception as error:  # noqa: BLE001 - whatever the program raises
        frame = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == PATH][-1]
        kind = type(error)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        line = case.source.splitlines()[frame.lineno - 1]
        return Raised(
            module + kind.__name__,
            str(error),
            case.path,
            frame.lineno,
            frame.name,
            refusal=line.strip().startswith(("raise", "assert")),
            origin=ErrorOrigin(case.origins.get(kind.__name__, "")),
        )


def full(goal: str) -> str:
    """A goal's id from the short form of the cases."""
    return f"{PATH}::{goal}" if "#" in goal else f"{PATH}::{FUNCTION}#{goal}"


def read(file: Path) -> tuple[Case, dict]:
    """A case and what is expected of it."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    expected = {name: document.pop(name, []) for name in ("findings", "skipped", "proved")}
    assert document.pop("about")
    return Case(**document), expected
