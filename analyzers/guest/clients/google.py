"""Requests of Google's clients, whichever client it is."""

from __future__ import annotations

import base64
import binascii
import functools
import itertools
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..protocol import api_calls
from .schema_fitting import canonical, member_name
from .schema_messages import Schema, read


def content_of(value: Any) -> Optional[bytes]:
    """The bytes that a field of bytes holds; ``None`` where there are none."""
    if isinstance(value, str):
        try:
            value = base64.b64decode(value, validate=False)
        except (binascii.Error, ValueError):
            value = value.encode("utf-8", "surrogateescape")
    if not isinstance(value, (bytes, bytearray, memoryview)) or not value:
        return None
    return bytes(value)


SPEECH = "google.cloud.speech.v1"
METHODS = ("recognize", "long_running_recognize", "streaming_recognize", "batch_recognize")
_LONGEST_STREAM = 4096


class Speech:
    """Turns the requests of speech clients into questions."""

    def __init__(self, schema: Schema, names: Mapping[str, str]) -> None:
        self._schema = schema
        self._names = names

    def answer(self, package: str, method: str, request: Any) -> Dict[str, Any]:
        """The canonical answer of a method; a stream's request is the iterable of its parts."""
        if method == "streaming_recognize":
            return self._streamed(package, request)
        if method == "batch_recognize":
            return self._batch(package, request)
        audio = read(request, "audio")
        holder = request if audio is None else audio
        content = content_of(read(holder, "content"))
        asked = (content, read(holder, "uri") or None)
        return self._ask(method, asked, self._parameters(package, request))

    def _ask(
        self, method: str, audio: Tuple[Any, Any], parameters: Dict[str, Any]
    ) -> Dict[str, Any]:
        api = self._names.get(method) or f"google.speech.{method}"
        content, uri = audio
        return dict(api_calls.ask(api_calls.ApiRequest(api, content, None, uri, parameters)))

    def _batch(self, package: str, request: Any) -> Dict[str, Any]:
        parameters = self._parameters(package, request)
        results: Dict[str, Any] = {}
        for file in read(request, "files") or []:
            uri = str(read(file, "uri") or "")
            answer = self._ask("recognize", (None, uri), parameters)
            transcript = {"results": answer.get("results", [])}
            inline = {"transcript": transcript}
            results[uri] = {"transcript": transcript, "inline_result": inline}
        return {"results": results}

    def _streamed(self, package: str, parts: Iterable[Any]) -> Dict[str, Any]:
        parameters: Dict[str, Any] = {}
        audio: List[bytes] = []
        for part in itertools.islice(parts, _LONGEST_STREAM):
            streaming = read(part, "streaming_config")
            if streaming is not None and not parameters:
                recognizer = {"recognizer": read(part, "recognizer")}
                given = {"config": read(streaming, "config"), **recognizer}
                parameters = self._parameters(package, given)
            heard = read(part, "audio_content") or read(part, "audio")
            audio += [bytes(heard)] if isinstance(heard, (bytes, bytearray)) else []
        content = b"".join(audio) or None
        answer = self._ask("streaming_recognize", (content, None), parameters)
        results = [{"is_final": True, **result} for result in answer.get("results", [])]
        return {**answer, "results": results}

    def _parameters(self, package: str, request: Any) -> Dict[str, Any]:
        name = f"{package}.RecognitionConfig"
        if name not in self._schema.messages:
            name = f"{SPEECH}.RecognitionConfig"
        found = canonical(self._schema, name, read(request, "config"))
        languages = found.pop("language_codes", None)
        if languages:
            found["language_code"] = languages[0]
            if languages[1:]:
                found["alternative_language_codes"] = languages[1:]
        recognizer = read(request, "recognizer")
        if recognizer and not str(recognizer).endswith("/_"):
            found["recognizer"] = str(recognizer)
        return found


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
        own = [entry for entry in entries if str(entry.get("provider", "")).startswith("google")]
        self._features = {e["feature"]: e["name"] for e in own if e.get("feature")}
        self._methods: Dict[str, str] = {}
        for entry in own:
            for method in entry.get("methods") or ():
                self._methods[method.rpartition(".")[2]] = entry["name"]
        self._speech = Speech(schema, self._methods)

    def answer(self, package: str, method: str, request: Any) -> Dict[str, Any]:
        """Return the canonical answer of a client's method of the protobuf ``package``."""
        service = package.split(".")[2]
        if service == "vision" and method == "batch_annotate_images":
            images = read(request, "requests") or []
            return {"responses": [self.annotate(image) for image in images]}
        if service == "language" and method in LANGUAGE_METHODS:
            answer = self.analyze(method, request)
            if package.endswith(".v2") and "language" in answer:
                return {**answer, "language_code": answer["language"]}
            return answer
        if service == "speech" and method in METHODS:
            return self._speech.answer(package, method, request)
        return dict(api_calls.ask(api_calls.ApiRequest(f"google.{service}.{method}")))

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
        answer = dict(api_calls.ask(api_calls.ApiRequest(api, content, None, uri, parameters)))
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
        return dict(api_calls.ask(api_calls.ApiRequest(api, None, text, uri or None, parameters)))

    def _member(self, enum: str, value: Any) -> str:
        name = member_name(self.schema, enum, value)
        return name or next(iter(self.schema.enums.get(enum, {})), "TYPE_UNSPECIFIED")


def _picture(image: Any) -> List[Any]:
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
