"""A model made from the catalogue's own description of an API."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .answer_model import Answer, AnswerModel
from .chat_answers import CHAT, COHERE, CONTENT, CONVERSE, HUB, MESSAGE, RESPONSE
from .label_answers import (
    ENTITIES,
    ENTITY_SENTIMENTS,
    EXAMPLES,
    LABELS,
    LANDMARKS,
    LOGOS,
    MODERATION,
    OBJECTS,
    REKOGNITION_LABELS,
    EntriesModel,
)
from .picture_answers import AZURE_PICTURE, FACES, REKOGNITION_FACES, SAFE_SEARCH
from .text_answers import (
    AZURE_READ,
    AZURE_SENTIMENT,
    COMPREHEND_SENTIMENT,
    HEARD,
    REKOGNITION_TEXT,
    SENTIMENT,
    SPEECH,
    TEXT,
    SentimentWordModel,
    TextModel,
    TextractText,
)

_TEXTS = ("text", "document", "speech", "caption")


def described(entry: Mapping[str, Any]) -> Optional[AnswerModel]:
    """The model of an API that lists named things, or says one of a few words, or a text.

    ``None`` for other shapes.

    ``entry`` has ``key`` and ``score``, paths such as ``"tags.list[].name"``
    with one list in them, and ``highest``, the best score; entries without a name have a score
    alone.  What an answer
    and its entries have besides is that of the ``ordinary`` answer, if there
    is one: code may read any of it.  Of an answer that lists ``least`` entries
    at least, the ordinary ones are listed where there is nothing to find.  A name is one of the
    ``classes``, where there are such, and its entry is like the ordinary one of that class.
    """
    key, score = (_canonical(entry, entry.get(name) or "") for name in ("key", "score"))
    key = key or f"{score.partition('[].')[0]}[]._" * ("[]." in score)
    if "[" not in key and "{" not in key:
        return _one(entry, key)
    if key.count("[].") != 1 or key.endswith("[]"):
        return None
    outer, _, inner = key.partition("[].")
    rated = score.partition("[].")[2] if score.startswith(outer + "[].") else ""
    single = bool(rated) and "[]" not in rated
    prefix = str(entry.get("prefix") or "")
    highest = float(entry.get("highest") or 1.0)
    ordinary = entry.get("ordinary") or {}
    everyday: Sequence[Dict[str, Any]] = _at(ordinary, outer.split(".")) or ()
    usual: Dict[str, Any] = next(iter(everyday), {})
    classes: Sequence[str] = entry.get("classes") or ()
    of_class = {_at(each, inner.split(".")): each for each in everyday} if classes else {}

    def write(number: int, name: str, likely: float) -> Dict[str, Any]:
        del number
        name = next((each for each in classes if each == name), classes[0]) if classes else name
        made: Dict[str, Any] = copy.deepcopy(of_class.get(name, usual) if classes else usual)
        if inner != "_":
            _put(made, inner.split("."), name if name.startswith(prefix) else prefix + name)
            _illustrate(made, inner, name)
        if single:
            _put(made, rated.split("."), likely)
        return made

    def around(entries: Any) -> Dict[str, Any]:
        made: Dict[str, Any] = copy.deepcopy(ordinary)
        _put(made, outer.split("."), entries)
        return made

    fields = [part for path in (outer, inner, rated) for part in path.split(".") if part]
    nothing = tuple(
        (str(_at(each, inner.split("."))), _at(each, rated.split(".")) if single else 1.0)
        for each in everyday[: int(entry.get("least") or 0)]
    )
    return EntriesModel("entries", tuple(fields), write, around, (0.5, highest), nothing)


def _illustrate(entity: Dict[str, Any], inner: str, kind: str) -> None:
    """Let an entity of a type be one: an amount, not the name of its type."""
    example = EXAMPLES.get(kind.upper())
    field = next((name for name in ("Text", "text", "word") if name in entity), inner)
    if example is None or field == inner:
        return
    entity[field] = example
    for end, begin in (("EndOffset", "BeginOffset"), ("end", "start")):
        if end in entity:
            entity[end] = entity[begin] + len(example)
    if "length" in entity:
        entity["length"] = len(example)


def _canonical(entry: Mapping[str, Any], path: str) -> str:
    """A path of the catalogue as it is in an answer (docs/guest-protocol.md)."""
    if (entry.get("input") or {}).get("each"):
        return path.partition("[].")[2]
    return f"elements{path}" if path.startswith("[].") else path


def _at(value: Any, path: Sequence[str]) -> Any:
    for part in path:
        value = (value or {}).get(part)
    return value


def _put(into: Dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        into = into.setdefault(part, {})
    into[path[-1]] = value


def _one(entry: Mapping[str, Any], key: str) -> Optional[AnswerModel]:
    """The model of an answer with one word or text at a path without a list."""
    says: Mapping[str, Any] = next(iter(entry.get("says") or ()), {})
    at = says.get("at") or ()
    if key not in ((at,) if isinstance(at, str) else tuple(at)):
        return None
    steps, ordinary = key.split("."), entry.get("ordinary") or {}

    def write(text: str, scores: Any = None) -> Answer:
        del scores
        made: Dict[str, Any] = copy.deepcopy(ordinary)
        _put(made, steps, text)
        return made

    words = sorted(says.get("readings") or (), key=lambda word: word.casefold() != "neutral")
    if says.get("closed") and len(words) > 1:
        return SentimentWordModel(words, tuple(steps), write)
    return DescribedText(tuple(steps), write) if says.get("task") in _TEXTS else None


class DescribedText(TextModel):
    """A text at the one place where the API has it."""

    def __init__(self, fields: Tuple[str, ...], write: Callable[[str], Answer]) -> None:
        self.fields = fields
        self._write = write

    def answer(self, knobs: str) -> Answer:
        """The answer with that text."""
        return self._write(knobs)


_READ_BY, _ANALYSED_BY = "DetectDocumentTextModelVersion", "AnalyzeDocumentModelVersion"
_DONE = {"JobStatus": "SUCCEEDED"}
MODELS: List[Tuple[str, AnswerModel]] = [
    ("google.vision.label_detection", LABELS),
    ("google.vision.text_detection", TEXT),
    ("google.vision.document_text_detection", TEXT),
    ("google.vision.object_localization", OBJECTS),
    ("google.vision.logo_detection", LOGOS),
    ("google.vision.landmark_detection", LANDMARKS),
    ("google.vision.face_detection", FACES),
    ("google.vision.safe_search_detection", SAFE_SEARCH),
    ("google.language.analyze_sentiment", SENTIMENT),
    ("google.language.analyze_entities", ENTITIES),
    ("google.language.analyze_entity_sentiment", ENTITY_SENTIMENTS),
    ("aws.rekognition.detect_labels", REKOGNITION_LABELS),
    ("aws.rekognition.detect_text", REKOGNITION_TEXT),
    ("aws.rekognition.detect_faces", REKOGNITION_FACES),
    ("aws.textract.detect_document_text", TextractText({_READ_BY: "1.0"})),
    ("aws.textract.get_document_text_detection", TextractText({_READ_BY: "1.0", **_DONE})),
    ("aws.textract.analyze_document", TextractText({_ANALYSED_BY: "1.0"})),
    ("aws.textract.get_document_analysis", TextractText({_ANALYSED_BY: "1.0", **_DONE})),
    ("aws.comprehend.detect_sentiment", COMPREHEND_SENTIMENT),
    ("aws.comprehend.batch_detect_sentiment", COMPREHEND_SENTIMENT),
    ("azure.language.analyze_sentiment", AZURE_SENTIMENT),
    ("azure.vision.analyze", AZURE_PICTURE),
    ("azure.vision.read", AZURE_READ),
    ("google.speech.recognize", SPEECH),
    ("google.speech.long_running_recognize", SPEECH),
    ("google.speech.streaming_recognize", SPEECH),
    ("openai.moderations", MODERATION),
    ("openai.chat_completions", CHAT),
    ("openai.responses", RESPONSE),
    ("huggingface.chat_completion", HUB),
    ("cohere.chat", COHERE),
    ("anthropic.messages", MESSAGE),
    ("aws.bedrock-runtime.converse", CONVERSE),
    ("gemini.generate_content", CONTENT),
    ("openai.transcriptions", HEARD),
    ("huggingface.automatic_speech_recognition", HEARD),
]


def model_for(entry: Mapping[str, Any]) -> Optional[AnswerModel]:
    """The model of an API, by its catalogue entry; ``None`` where there is none."""
    for name, model in MODELS:
        if name == entry["name"]:
            return model
    return described(entry)
