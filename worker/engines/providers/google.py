"""Google's vision, language and speech APIs, in their own REST protocol.

https://cloud.google.com/vision/docs/reference/rest/v1/images/annotate
https://cloud.google.com/natural-language/docs/reference/rest/v1/documents
https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from google.auth import exceptions, jwt

from analyzers.vocabulary import Json, JsonObject
from worker.engines.api_answers import canonical, rest
from worker.engines.engine import ApiRequest, NoAnswer, Outage
from worker.engines.providers.http_client import ProviderEngine

_ENCODING = ("encoding", "sample_rate_hertz", "audio_channel_count")
_FEATURES = (
    "enable_automatic_punctuation",
    "enable_spoken_emojis",
    "enable_spoken_punctuation",
    "enable_word_confidence",
    "enable_word_time_offsets",
    "max_alternatives",
    "profanity_filter",
)
_OF_V2 = ("auto_decoding_config", "explicit_decoding_config", "features", "recognizer")


def config(parameters: JsonObject) -> JsonObject:
    """Return a ``RecognitionConfig`` of version 1, also from version 2's."""
    decoding = _mapping(parameters.get("explicit_decoding_config"))
    features = _mapping(parameters.get("features"))
    return {
        **{name: decoding[name] for name in _ENCODING if name in decoding},
        **{name: features[name] for name in _FEATURES if name in features},
        **{name: value for name, value in parameters.items() if name not in _OF_V2},
    }


def _mapping(value: Json) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


ENDPOINTS = {
    "google.vision": "https://vision.googleapis.com",
    "google.language": "https://language.googleapis.com",
    "google.speech": "https://speech.googleapis.com",
}
LANGUAGE_METHODS = {
    "analyze_sentiment": "analyzeSentiment",
    "analyze_entities": "analyzeEntities",
    "analyze_entity_sentiment": "analyzeEntitySentiment",
    "analyze_syntax": "analyzeSyntax",
    "classify_text": "classifyText",
    "moderate_text": "moderateText",
}
_WITH_ENCODING = frozenset(
    {"analyze_sentiment", "analyze_entities", "analyze_entity_sentiment", "analyze_syntax"}
)
_OF_FEATURE = ("max_results", "model")
_PICTURE_AT_FAULT = frozenset({3})


@dataclass
class Google(ProviderEngine):
    """One of Google's services; ``credentials`` reads an API key or a service account's JSON."""

    versioned = True

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the answer in the schema's own field names; raise ``NoAnswer``."""
        if request.content is None and request.text is None:
            self.expect_uris()
        task = api.rpartition(".")[2]
        if self.provider == "google.vision":
            return self._annotate(task, request)
        if self.provider == "google.speech":
            body: JsonObject = {
                "config": rest(config(request.parameters)),
                "audio": {"uri": request.uri}
                if request.content is None
                else {"content": base64.b64encode(request.content).decode()},
            }
            return canonical(self._post("speech:recognize", body))
        return self._analyze(task, request)

    def _annotate(self, task: str, request: ApiRequest) -> JsonObject:
        context = dict(request.parameters)
        feature = {name: context.pop(name) for name in _OF_FEATURE if name in context}
        question: dict[str, Json] = {
            "image": _image(request),
            "features": [rest({"type": task.upper(), **feature})],
        }
        if context:
            question["imageContext"] = rest(context)
        answer = self._post("images:annotate", {"requests": [question]})
        responses = answer.get("responses")
        if not isinstance(responses, list) or len(responses) != 1:
            raise Outage(f"{self.provider} answered without a response to the picture")
        response = cast("object", responses[0])
        if not isinstance(response, Mapping):
            raise Outage(f"{self.provider} answered with a malformed response")
        known = cast("Mapping[str, Any]", response)
        error = known.get("error")
        if isinstance(error, Mapping) and error:
            status = cast("Mapping[str, Any]", error)
            if status.get("code") not in _PICTURE_AT_FAULT:
                raise Outage(f"{self.provider} failed: {str(status.get('message'))[:300]}")
        return canonical(known)

    def _analyze(self, task: str, request: ApiRequest) -> JsonObject:
        method = LANGUAGE_METHODS.get(task)
        if method is None:
            raise NoAnswer(f"{self.provider}.{task} cannot be asked over REST")
        parameters = request.parameters
        document: dict[str, Json] = {"type": parameters.get("type") or "PLAIN_TEXT"}
        if request.text is not None:
            document["content"] = request.text
        else:
            document["gcsContentUri"] = request.uri
        if parameters.get("language"):
            spelling = "languageCode" if self.base.endswith("/v2") else "language"
            document[spelling] = parameters["language"]
        body: dict[str, Json] = {"document": document}
        if task in _WITH_ENCODING:
            body["encodingType"] = parameters.get("encoding_type") or "UTF32"
        return canonical(self._post(f"documents:{method}", body))

    def _post(self, path: str, body: JsonObject) -> JsonObject:
        query, headers = self._access()
        return self.http.post(f"{self.base}/{path}", body, query, headers)

    def _access(self) -> tuple[dict[str, str], dict[str, str]]:
        if self.credentials is None:
            return {}, {}
        if self._account is not None:
            assert self._account is not None
            if not self._account.valid:
                self._account.refresh(None)
                self.http.secrets.add(bytes(self._account.token).decode())
            return {}, {"authorization": f"Bearer {bytes(self._account.token).decode()}"}
        return {"key": self._secret}, {}

    @cached_property
    def _secret(self) -> str:
        secret = self.credentials() if self.credentials else ""
        if not secret.startswith("{"):
            self.http.secrets.add(secret)
        return secret

    @cached_property
    def _account(self) -> jwt.Credentials | None:
        """The service account, if the secret is one; it signs its own tokens."""
        if not self._secret.startswith("{"):
            return None
        audience = f"{ENDPOINTS[self.provider]}/"
        try:
            known = json.loads(self._secret)
            account = jwt.Credentials.from_service_account_info(known, audience=audience)
        except (ValueError, KeyError, TypeError, exceptions.GoogleAuthError):
            # from None: the error holds the text that it could not read
            raise Outage(f"the service account for {self.provider} cannot be read") from None
        self.http.secrets.add(str(known["private_key"]))
        return account


def _image(request: ApiRequest) -> JsonObject:
    if request.content is not None:
        return {"content": base64.b64encode(request.content).decode()}
    return {"source": {"imageUri": request.uri}}
