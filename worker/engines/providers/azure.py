"""Azure's vision and language resources, in their own REST protocols.

https://learn.microsoft.com/rest/api/computervision/image-analysis/analyze-from-stream (4.0)
https://learn.microsoft.com/rest/api/computervision/ (3.2)
https://learn.microsoft.com/rest/api/language/text-analysis-runtime/analyze-text
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from analyzers.vocabulary import Json, JsonObject
from worker.engines.api_answers import by_schema, shape
from worker.engines.engine import ApiRequest, NotAsked, Outage
from worker.engines.providers.http_client import ProviderEngine

VISION_VERSION = "2023-10-01"
LANGUAGE_VERSION = "2023-04-01"
KINDS = {
    "analyze_sentiment": "SentimentAnalysis",
    "detect_language": "LanguageDetection",
    "extract_key_phrases": "KeyPhraseExtraction",
    "recognize_entities": "EntityRecognition",
    "recognize_linked_entities": "EntityLinking",
    "recognize_pii_entities": "PiiEntityRecognition",
}
# of version 3.2, which 4.0 has no other words for
_OLDER = {"tag_image": "tag", "describe_image": "describe", "detect_objects": "detect"}
_FEATURES = {
    "caption": "caption",
    "dense_captions": "denseCaptions",
    "objects": "objects",
    "people": "people",
    "read": "read",
    "smart_crops": "smartCrops",
    "tags": "tags",
}
_QUERY = {
    "gender_neutral_caption": "gender-neutral-caption",
    "model_version": "model-version",
    "smart_crops_aspect_ratios": "smartcrops-aspect-ratios",
}
_LINKED = {"bing_id": "bing_entity_search_api_id", "id": "data_source_entity_id"}
_OUTAGES = frozenset({"InternalServerError", "ServiceUnavailable", "Timeout", "TooManyRequests"})


class AzureResource(ProviderEngine):
    """A resource, which has no public address."""

    def authorisation(self, key: str) -> dict[str, str]:
        """Return the header that says who asks."""
        return {"ocp-apim-subscription-key": key}


class Azure(AzureResource):
    """One resource for vision or language."""

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the SDK's answer about one picture or document; raise ``NoAnswer``."""
        task = api.rpartition(".")[2]
        if self.provider == "azure.language":
            return self._document(api, task, request)
        if task in {"analyze", "read"}:
            parameters = dict(request.parameters)
            features = ["read"] if task == "read" else _features(parameters)
            query = {_QUERY.get(name, name): _written(value) for name, value in parameters.items()}
            query |= {"features": ",".join(features), "api-version": VISION_VERSION}
            path = "computervision/imageanalysis:analyze"
            answer = by_schema(shape("azure.vision.analyze")[0], self._looked(path, query, request))
            return answer if task == "analyze" else _as_read_result(answer)
        if task in _OLDER:
            return self._older(task, request)
        raise NotAsked(f"{api} needs groups of faces, or a permission of the operator's own")

    # ------------------------------------------------------------ language

    def _document(self, api: str, task: str, request: ApiRequest) -> JsonObject:
        parameters = dict(request.parameters)
        spelling = "countryHint" if task == "detect_language" else "language"
        document: dict[str, Json] = {"id": "0", "text": request.text}
        if parameters.get("language"):
            document[spelling] = parameters.pop("language")
        kind = KINDS[task]
        body: JsonObject = {
            "kind": kind,
            "analysisInput": {"documents": [document]},
            "parameters": {**parameters, "stringIndexType": "UnicodeCodePoint"}
            if task not in {"detect_language", "extract_key_phrases"}
            else parameters,
        }
        url = f"{self.base}/language/:analyze-text"
        answer = self.http.post(url, body, {"api-version": LANGUAGE_VERSION}, self._key)
        return self._judged(api, _mapping(answer.get("results")))

    def _judged(self, api: str, results: Mapping[str, Any]) -> JsonObject:
        """Return the one document; an error stays in it only when the text is at fault."""
        for failed in _items(results.get("errors")):
            error = _mapping(failed.get("error"))
            code = _mapping(error.get("innererror")).get("code") or error.get("code")
            if not error or code in _OUTAGES:
                raise Outage(f"{self.provider} failed: {str(error.get('message'))[:300]}")
            return {"Error": dict(error)}
        documents = _items(results.get("documents"))
        if len(documents) != 1:
            raise Outage(f"{self.provider} answered without a result for the document")
        document = {key: value for key, value in documents[0].items() if key != "id"}
        answer = by_schema(shape(api)[0], document)
        if api.endswith(".recognize_linked_entities"):
            linked = _items(answer.get("entities"))
            entities = [{_LINKED.get(k, k): v for k, v in entity.items()} for entity in linked]
            return {**answer, "entities": cast("Json", entities)}
        return answer

    # -------------------------------------------------------------- vision

    def _older(self, task: str, request: ApiRequest) -> JsonObject:
        query = {_camel_query(name): _written(value) for name, value in request.parameters.items()}
        answer = by_schema("", self._looked(f"vision/v3.2/{_OLDER[task]}", query, request))
        if task == "describe_image":
            return {**answer, **_mapping(answer.get("description"))}
        objects = [_renamed(thing) for thing in _items(answer.get("objects"))]
        return {**answer, "objects": cast("Json", objects)} if "objects" in answer else answer

    def _looked(self, path: str, query: Mapping[str, str], request: ApiRequest) -> JsonObject:
        url = f"{self.base}/{path}"
        if request.content is not None:
            headers = {**self._key, "content-type": "application/octet-stream"}
            return self.http.post(url, request.content, query, headers)
        self.expect_uris()
        return self.http.post(url, {"url": request.uri}, query, self._key)


def _features(parameters: dict[str, Json]) -> list[str]:
    """Return the features to ask for, taken out of the parameters; tags where none are named."""
    named = parameters.pop("features", None)
    names = [str(name) for name in named] if isinstance(named, list) else []
    older = [name for name in names if name not in _FEATURES]
    if older:
        raise NotAsked(f"Image Analysis 4.0 has no {', '.join(older)}")
    return [_FEATURES[name] for name in names] or ["tags"]


def _as_read_result(answer: JsonObject) -> JsonObject:
    lines: list[Json] = []
    for block in _items(_mapping(answer.get("read")).get("blocks")):
        for line in _items(block.get("lines")):
            words: list[Json] = [_boxed(word) for word in _items(line.get("words"))]
            lines.append({**_boxed(line), "words": words})
    page: JsonObject = {"page": 1, **_mapping(answer.get("metadata")), "unit": "pixel"}
    return {
        "status": "succeeded",
        "analyze_result": {
            "version": "3.2.0",
            "model_version": answer.get("model_version"),
            "read_results": [{**page, "lines": lines}],
        },
    }


def _boxed(part: Mapping[str, Any]) -> dict[str, Any]:
    polygon = _items(part.get("bounding_polygon"))
    kept = {key: part[key] for key in ("text", "confidence") if key in part}
    return {**kept, "bounding_box": [point.get(axis) for point in polygon for axis in "xy"]}


def _renamed(thing: Mapping[str, Any]) -> dict[str, Any]:
    """A detected object, and those that it is a kind of, with the SDK's name for ``object``."""
    made = {("object_property" if k == "object" else k): v for k, v in thing.items()}
    if isinstance(made.get("parent"), Mapping):
        made["parent"] = _renamed(made["parent"])
    return made


def _camel_query(name: str) -> str:
    head, *steps = name.split("_")
    return head + "".join(step.capitalize() for step in steps)


def _written(value: Json) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(_written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _items(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none where it is no list."""
    if not isinstance(value, list):
        return []
    return [
        cast("dict[str, Any]", item)
        for item in cast("list[object]", value)
        if isinstance(item, dict)
    ]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


PATH = "speech/recognition/conversation/cognitiveservices/v1"
MEDIA = {
    b"RIFF": "audio/wav; codecs=audio/pcm; samplerate=16000",
    b"OggS": "audio/ogg; codecs=opus",
}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")
_SPEECH_OUTAGES = frozenset({"Error"})


class AzureSpeech(AzureResource):
    """One speech resource."""

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the detailed answer about a sound of a minute; raise ``NoAnswer``."""
        del api
        content = request.content
        media = next((m for start, m in MEDIA.items() if (content or b"").startswith(start)), None)
        if content is None or media is None:
            raise NotAsked(f"{self.provider} takes WAV and Ogg files of a minute")
        language = str(request.parameters.get("language") or "en-US")
        if _LANGUAGE.fullmatch(language) is None:
            raise NotAsked(f"{self.provider} was asked for a language that is none")
        url = f"{self.base}/{PATH}"
        headers = {**self._key, "content-type": media, "accept": "application/json"}
        query = {"language": language, "format": "detailed"}
        answer = self.http.post(url, content, query, headers)
        if answer.get("RecognitionStatus") in _SPEECH_OUTAGES:
            raise Outage(f"{self.provider} failed: {answer.get('RecognitionStatus')}")
        return answer
