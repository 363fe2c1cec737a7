"""The first generation of Google's SDKs: pictures and documents that ask themselves."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ..message import Message
from .google import response_name
from .standin_client import Client


class FirstVision(Client):
    """``vision.Client()``: pictures that detect by themselves."""

    def image(self, content: Any = None, filename: Any = None, source_uri: Any = None) -> Any:
        """A picture; nothing is asked yet."""
        source = {"image_uri": source_uri, "filename": filename}
        return _FirstImage(self, {"content": content, "source": source})


class _FirstImage:
    def __init__(self, client: Client, image: Dict[str, Any]) -> None:
        self._client = client
        self._image = image

    def detect(self, features: Any) -> List[Any]:
        request = {"image": self._image, "features": features}
        answer = self._client.google.annotate(request)
        return [_Annotations(self._client.message("AnnotateImageResponse", answer))]

    def _one(self, feature: str, limit: Optional[int]) -> Any:
        return self.detect([{"type": feature, "max_results": limit}])[0]

    def detect_labels(self, limit: int = 10) -> Any:
        return self._one("LABEL_DETECTION", limit).labels

    def detect_text(self, limit: int = 10) -> Any:
        return self._one("TEXT_DETECTION", limit).texts

    def detect_full_text(self, language_hints: Any = None, limit: int = 10) -> Any:
        del language_hints
        return self._one("DOCUMENT_TEXT_DETECTION", limit).full_texts

    def detect_faces(self, limit: int = 10) -> Any:
        return self._one("FACE_DETECTION", limit).faces

    def detect_logos(self, limit: int = 10) -> Any:
        return self._one("LOGO_DETECTION", limit).logos

    def detect_landmarks(self, limit: int = 10) -> Any:
        return self._one("LANDMARK_DETECTION", limit).landmarks

    def detect_safe_search(self, limit: int = 10) -> Any:
        return self._one("SAFE_SEARCH_DETECTION", limit).safe_searches

    def detect_properties(self, limit: int = 10) -> Any:
        return self._one("IMAGE_PROPERTIES", limit).properties

    def detect_web(self, limit: int = 10) -> Any:
        return self._one("WEB_DETECTION", limit).web


_ANNOTATIONS = {
    "labels": "label_annotations",
    "texts": "text_annotations",
    "full_texts": "full_text_annotation",
    "faces": "face_annotations",
    "logos": "logo_annotations",
    "landmarks": "landmark_annotations",
    "safe_searches": "safe_search_annotation",
    "properties": "image_properties_annotation",
    "web": "web_detection",
}


class _Annotations:
    def __init__(self, response: Message) -> None:
        self._response = response

    def __getattr__(self, name: str) -> Any:
        if name not in _ANNOTATIONS:
            raise AttributeError(name)
        return getattr(self._response, _ANNOTATIONS[name])


class FirstLanguage(Client):
    """``language.Client()``: documents that analyze themselves."""

    def document_from_text(self, content: Any, language: Any = None, **_: Any) -> Any:
        """A document of plain text."""
        return _FirstDocument(self, {"content": content, "language": language})

    def document_from_html(self, content: Any, language: Any = None, **_: Any) -> Any:
        """A document of HTML."""
        return _FirstDocument(self, {"content": content, "language": language, "type": "HTML"})

    def document_from_url(self, uri: Any, **_: Any) -> Any:
        """A document in cloud storage."""
        return _FirstDocument(self, {"gcs_content_uri": uri})


class _FirstDocument:
    def __init__(self, client: Client, document: Dict[str, Any]) -> None:
        self._client = client
        self._document = {key: value for key, value in document.items() if value}

    def _ask(self, method: str) -> Any:
        answer = self._client.google.analyze(method, {"document": self._document})
        return self._client.message(response_name(method), answer)

    def analyze_sentiment(self) -> Any:
        return _FirstSentiment(self._ask("analyze_sentiment"))

    def analyze_entities(self) -> Any:
        return self._ask("analyze_entities")

    def analyze_syntax(self) -> Any:
        return self._ask("analyze_syntax")

    def annotate_text(self, **_: Any) -> Any:
        return self._ask("annotate_text")


class _FirstSentiment:
    """Both shapes it had: the sentiment itself, and a response around it."""

    def __init__(self, response: Any) -> None:
        self.sentiment = response.document_sentiment
        self.sentences = response.sentences
        self.language = response.language
        self.score = self.polarity = self.sentiment.score
        self.magnitude = self.sentiment.magnitude
