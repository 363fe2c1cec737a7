"""The first generation of Google's SDKs: pictures and documents that ask themselves."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping

from ..protocol import api_calls
from ..runtime.standins import Entered, Inert
from .google import Google, response_name
from .google_errors import answered
from .schema_messages import Message, Schema


class Client(Entered):
    """The base class of stand-ins for clients."""

    google: Google
    schema: Schema
    package: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    @classmethod
    def from_service_account_json(cls, *args: Any, **kwargs: Any) -> Any:
        """A client; the account's file is not looked at."""
        del args, kwargs
        return cls()

    from_service_account_file = from_service_account_info = from_service_account_json

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert(f"{type(self).__name__}.{name}")

    def answer(self, method: str, request: Any) -> Mapping[str, Any]:
        """The answer of a method of the service; raises what the SDK would."""
        return answered(lambda: self.google.answer(self.package, method, request))

    def message(self, name: str, answer: Any) -> Any:
        """The response object for an answer."""
        full = f"{self.package}.{name}"
        if api_calls.session().faithful:
            answer = self.schema.rounded(full, answer)
        return self.schema.message(full).of(answer)


class FirstVision(Client):
    """``vision.Client()``: pictures that detect by themselves."""

    def image(self, content: Any = None, filename: Any = None, source_uri: Any = None) -> Any:
        """A picture; nothing is asked yet."""
        source = {"image_uri": source_uri, "filename": filename}
        return _FirstImage(self, {"content": content, "source": source})


def _detecting(feature: str, part: str) -> Callable[..., Any]:
    def detect(self: Any, limit: int = 10) -> Any:
        return getattr(self.detect([{"type": feature, "max_results": limit}])[0], part)

    return detect


class _FirstImage:
    def __init__(self, client: Client, image: Dict[str, Any]) -> None:
        self._client = client
        self._image = image

    def detect(self, features: Any) -> List[Any]:
        request = {"image": self._image, "features": features}
        answer = self._client.answer("batch_annotate_images", {"requests": [request]})
        (response,) = answer["responses"]
        return [_Annotations(self._client.message("AnnotateImageResponse", response))]

    def detect_full_text(self, language_hints: Any = None, limit: int = 10) -> Any:
        del language_hints
        return _detecting("DOCUMENT_TEXT_DETECTION", "full_texts")(self, limit)

    detect_labels = _detecting("LABEL_DETECTION", "labels")
    detect_text = _detecting("TEXT_DETECTION", "texts")
    detect_faces = _detecting("FACE_DETECTION", "faces")
    detect_logos = _detecting("LOGO_DETECTION", "logos")
    detect_landmarks = _detecting("LANDMARK_DETECTION", "landmarks")
    detect_safe_search = _detecting("SAFE_SEARCH_DETECTION", "safe_searches")
    detect_properties = _detecting("IMAGE_PROPERTIES", "properties")
    detect_web = _detecting("WEB_DETECTION", "web")


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
        answer = self._client.answer(method, {"document": self._document})
        return self._client.message(response_name(method), answer)

    def analyze_sentiment(self) -> Any:
        return _FirstSentiment(self._ask("analyze_sentiment"))

    def analyze_entities(self) -> Any:
        return self._ask("analyze_entities")

    def analyze_syntax(self) -> Any:
        return self._ask("analyze_syntax")

    def annotate_text(self, **wanted: Any) -> Any:
        features = {f"extract_{part}": wanted.get(f"include_{name}", True) for part, name in _PARTS}
        request = {"document": self._document, "features": features}
        answer = self._client.answer("annotate_text", request)
        response = self._client.message("AnnotateTextResponse", answer)
        return _FirstAnnotations(response)


_PARTS = (("syntax", "syntax"), ("entities", "entities"), ("document_sentiment", "sentiment"))


class _FirstAnnotations:
    def __init__(self, response: Any) -> None:
        self._response = response
        self.sentiment = response.document_sentiment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._response, name)


class _FirstSentiment:
    """Both shapes it had: the sentiment itself, and a response around it."""

    def __init__(self, response: Any) -> None:
        self.sentiment = response.document_sentiment
        self.sentences = response.sentences
        self.language = response.language
        self.score = self.polarity = self.sentiment.score
        self.magnitude = self.sentiment.magnitude


class FirstSpeech(Client):
    """``speech.Client()``: samples that recognize themselves."""

    def sample(self, content: Any = None, source_uri: Any = None, **config: Any) -> Any:
        """A sample of speech; nothing is asked yet."""
        stream = config.pop("stream", None)
        audio = {"content": stream.read() if stream else content, "uri": source_uri}
        if "sample_rate" in config:
            config["sample_rate_hertz"] = config.pop("sample_rate")
        return _FirstSample(self, audio, config)


class _FirstSample:
    def __init__(self, client: Client, audio: Dict[str, Any], config: Dict[str, Any]) -> None:
        self._client = client
        self._audio = audio
        self._config = config

    def _ask(self, method: str, language_code: Any, config: Dict[str, Any]) -> List[Any]:
        whole = {**self._config, **config, "language_code": language_code}
        answer = self._client.answer(method, {"config": whole, "audio": self._audio})
        results = self._client.message("RecognizeResponse", answer).results
        return [_FirstResult(result) for result in results]

    def recognize(self, language_code: Any = None, **config: Any) -> Any:
        return self._ask("recognize", language_code, config)

    sync_recognize = recognize

    def long_running_recognize(self, language_code: Any = None, **config: Any) -> Any:
        return _FirstOperation(self._ask("long_running_recognize", language_code, config))

    async_recognize = long_running_recognize

    def streaming_recognize(self, language_code: Any = None, **config: Any) -> Any:
        for name in ("single_utterance", "interim_results"):
            config.pop(name, None)
        return iter(self._ask("recognize", language_code, config))


class _FirstResult:
    is_final = True

    def __init__(self, result: Any) -> None:
        self.alternatives = result.alternatives
        self.transcript = result.alternatives[0].transcript if result.alternatives else ""
        self.confidence = result.alternatives[0].confidence if result.alternatives else 0.0


class _FirstOperation:
    complete = True

    def __init__(self, results: List[Any]) -> None:
        self.results = results

    def poll(self) -> bool:
        return True
