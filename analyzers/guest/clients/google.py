"""What Google's clients ask, whichever client it is."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from .. import calls
from ..messages import Schema
from ..spelling import read

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

    # -------------------------------------------------------------- vision

    def annotate(self, request: Any) -> Dict[str, Any]:
        """The canonical ``AnnotateImageResponse`` for one image."""
        answer: Dict[str, Any] = {}
        for feature in read(request, "features") or []:
            answer.update(self._feature(request, feature))
        return answer

    def _feature(self, request: Any, feature: Any) -> Dict[str, Any]:
        name = self._member("Feature.Type", VISION, read(feature, "type"))
        most = read(feature, "max_results")
        hints = read(read(request, "image_context"), "language_hints")
        parameters: Dict[str, Any] = {}
        if most:
            parameters["max_results"] = int(most)
        if hints:
            parameters["language_hints"] = [str(hint) for hint in hints]
        content, uri = _picture(read(request, "image"))
        api = self._features.get(name) or f"google.vision.{name.lower()}"
        answer = dict(calls.ask(calls.Request(api, content, None, uri, parameters)))
        result = _RESULTS.get(name)
        if result in answer and most:
            answer[result] = answer[result][: int(most)]
        return answer

    # ------------------------------------------------------------ language

    def analyze(self, method: str, request: Any) -> calls.Answer:
        """The canonical answer of a method to a request with a document."""
        document = read(request, "document")
        kind = self._member("Document.Type", LANGUAGE, read(document, "type"))
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
        return calls.ask(calls.Request(api, None, text, uri or None, parameters))

    def _member(self, enum: str, package: str, value: Any) -> str:
        """The name of an enum's value, however it was written."""
        if isinstance(value, str):
            return value
        members = self.schema.enums.get(f"{package}.{enum}", {})
        for name, number in members.items():
            if number == (value or 0):
                return name
        return str(value)


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
    if isinstance(content, str):
        content = _decoded(content)
    if not isinstance(content, (bytes, bytearray, memoryview)) or not content:
        return [None, uri]
    return [bytes(content), uri]


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode("utf-8", "surrogateescape")


def response_name(method: str) -> str:
    """``analyze_sentiment`` answers with an ``AnalyzeSentimentResponse``."""
    return "".join(part.capitalize() for part in method.split("_")) + "Response"
