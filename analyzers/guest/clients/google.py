"""What Google's clients ask, whichever client it is."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from .. import calls
from ..canonical import canonical, member_name
from ..messages import Schema
from ..spelling import read
from . import google_speech
from .contents import content_of

VISION = "google.cloud.vision.v1"
LANGUAGE = "google.cloud.language.v1"
LANGUAGE_METHODS = (
    "analyze_sentiment",
    "analyze_entities",
    "analyze_entity_sentiment",
    "analyze_syntax",
    "classify_text",
    "moderate_text",
    "annotate_text",
)
_RESULTS = {
    "LABEL_DETECTION": "label_annotations",
    "FACE_DETECTION": "face_annotations",
    "LANDMARK_DETECTION": "landmark_annotations",
    "LOGO_DETECTION": "logo_annotations",
    "OBJECT_LOCALIZATION": "localized_object_annotations",
}
_TEXT_FEATURES = {
    "extract_syntax": "analyze_syntax",
    "extract_entities": "analyze_entities",
    "extract_document_sentiment": "analyze_sentiment",
    "extract_entity_sentiment": "analyze_entity_sentiment",
    "classify_text": "classify_text",
    "moderate_text": "moderate_text",
}


class Google:
    """Turns the requests of Google's clients into questions, by the catalogue."""

    def __init__(self, entries: Sequence[Mapping[str, Any]], schema: Schema) -> None:
        self.schema = schema
        own = [entry for entry in entries if _is_google(entry)]
        self._features = {e["feature"]: e["name"] for e in own if e.get("feature")}
        self._methods: Dict[str, str] = {}
        for entry in own:
            for method in entry.get("methods") or ():
                self._methods[method.rpartition(".")[2]] = entry["name"]
        self._speech = google_speech.Speech(schema, self._methods)

    def answer(self, package: str, method: str, request: Any) -> Dict[str, Any]:
        """The canonical answer of a client's method.

        ``package`` is the protobuf package of the service; what is no method
        that is known is asked for by its name alone, to be refused by it.
        """
        service = package.split(".")[2]
        if service == "vision" and method == "batch_annotate_images":
            images = read(request, "requests") or []
            return {"responses": [self.annotate(image) for image in images]}
        if service == "language" and method in LANGUAGE_METHODS:
            return _of_version(package, self.analyze(method, request))
        if service == "speech" and method in google_speech.METHODS:
            return self._speech.answer(package, method, request)
        return dict(calls.ask(calls.Request(f"google.{service}.{method}")))

    # -------------------------------------------------------------- vision

    def annotate(self, request: Any) -> Dict[str, Any]:
        """The canonical ``AnnotateImageResponse`` for one image."""
        answer: Dict[str, Any] = {}
        for feature in read(request, "features") or []:
            answer.update(self._feature(request, feature))
        return answer

    def _feature(self, request: Any, feature: Any) -> Dict[str, Any]:
        name = self._member(f"{VISION}.Feature.Type", read(feature, "type"))
        most, model = read(feature, "max_results"), read(feature, "model")
        context = read(request, "image_context")
        parameters = canonical(self.schema, f"{VISION}.ImageContext", context)
        if most:
            parameters["max_results"] = int(most)
        if model:
            parameters["model"] = str(model)
        content, uri = _picture(read(request, "image"))
        api = self._features.get(name) or f"google.vision.{name.lower()}"
        answer = dict(calls.ask(calls.Request(api, content, None, uri, parameters)))
        result = _RESULTS.get(name)
        if result in answer and most:
            answer[result] = answer[result][: int(most)]
        return answer

    # ------------------------------------------------------------ language

    def analyze(self, method: str, request: Any) -> Dict[str, Any]:
        """The canonical answer of a method to a request with a document."""
        document = read(request, "document")
        if method != "annotate_text":
            return self._analysis(method, document)
        wanted = read(request, "features")
        answer: Dict[str, Any] = {}
        for feature, single in _TEXT_FEATURES.items():
            if read(wanted, feature):
                answer.update(self._analysis(single, document))
        return answer

    def _analysis(self, method: str, document: Any) -> Dict[str, Any]:
        kind = self._member(f"{LANGUAGE}.Document.Type", read(document, "type"))
        language = read(document, "language") or read(document, "language_code")
        parameters: Dict[str, Any] = {}
        if kind not in ("PLAIN_TEXT", "TYPE_UNSPECIFIED"):
            parameters["type"] = kind
        if language:
            parameters["language"] = str(language)
        text, uri = read(document, "content"), read(document, "gcs_content_uri")
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        api = self._methods.get(method) or f"google.language.{method}"
        return dict(calls.ask(calls.Request(api, None, text, uri or None, parameters)))

    def _member(self, enum: str, value: Any) -> str:
        """The name of an enum's value, however it was written."""
        name = member_name(self.schema, enum, value)
        return name or next(iter(self.schema.enums.get(enum, {})), "TYPE_UNSPECIFIED")


def _of_version(package: str, answer: Dict[str, Any]) -> Dict[str, Any]:
    """An answer with the language where this version of the API has it."""
    if package.endswith(".v2") and "language" in answer:
        return {**answer, "language_code": answer["language"]}
    return answer


def _is_google(entry: Mapping[str, Any]) -> bool:
    return str(entry.get("provider", "")).startswith("google")


def _picture(image: Any) -> List[Any]:
    """The content and the URI of an image, each ``None`` when absent."""
    if hasattr(image, "read"):
        return [image.read(), None]
    content, source = read(image, "content"), read(image, "source")
    uri = read(source, "image_uri") or read(source, "gcs_image_uri") or None
    name = read(source, "filename")
    if not content and isinstance(name, str) and name:
        content = Path(name).read_bytes()
    return [content_of(content), uri]


@functools.cache
def response_name(method: str) -> str:
    """``analyze_sentiment`` answers with an ``AnalyzeSentimentResponse``."""
    return "".join(part.capitalize() for part in method.split("_")) + "Response"
