"""Hugging Face's inference API, and whatever speaks it (an inference endpoint, TGI).

https://huggingface.co/docs/inference-providers/tasks/index
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

from analyzers.catalogue.canonical_answers import elements
from analyzers.vocabulary import Json, JsonObject
from worker.engines.api_answers import by_schema, shape
from worker.engines.engine import ApiRequest, NotAsked
from worker.engines.providers.http_client import ProviderEngine, as_object

PUBLIC = "https://router.huggingface.co/hf-inference"
# what a pipeline loads that names no model (transformers.pipelines.SUPPORTED_TASKS)
DEFAULTS = {
    "automatic_speech_recognition": "facebook/wav2vec2-base-960h",
    "image_classification": "google/vit-base-patch16-224",
    "object_detection": "facebook/detr-resnet-50",
    "question_answering": "distilbert/distilbert-base-cased-distilled-squad",
    "summarization": "sshleifer/distilbart-cnn-12-6",
    "text_classification": "distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    "token_classification": "dbmdz/bert-large-cased-finetuned-conll03-english",
    "zero_shot_classification": "facebook/bart-large-mnli",
}
_MODEL = re.compile(r"\w[\w.-]{0,95}(/\w[\w.-]{0,95})?")
# of the library alone
_LOCAL = frozenset({"model", "return_all_scores", "revision"})
_MEDIA = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG", "image/png"), (b"RIFF", "audio/wav"))


@dataclass
class HuggingFace(ProviderEngine):
    """The inference API at ``endpoint``; models are below its ``/models``."""

    provider: str = "huggingface"
    endpoint: str = PUBLIC

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return ``InferenceClient``'s answer, lists as ``elements``; raise ``NoAnswer``."""
        task = api.rpartition(".")[2]
        url = f"{self.base}/models/{_model(task, request)}"
        if task == "chat_completion":
            if request.content is not None or request.uri is not None:
                raise NotAsked("pictures in a conversation are not passed on to Hugging Face")
            options = dict(request.parameters)
            messages = options.pop("messages", None) or [{"role": "user", "content": request.text}]
            body = {**options, "model": _model(task, request), "messages": messages}
            answer = self.http.post(f"{url}/v1/chat/completions", body, {}, self._key)
            return by_schema(shape(api)[0], answer)
        found = _named(self.http.value(url, *self._asked(task, request)))
        message, listed = shape(api)
        if not listed:
            return by_schema(message, as_object(found, "Hugging Face"))
        items = elements(found) or ([found] if isinstance(found, dict) else [])
        return {"elements": [by_schema(message, as_object(i, "Hugging Face")) for i in items]}

    def _asked(self, task: str, request: ApiRequest) -> tuple[JsonObject | bytes, dict[str, str]]:
        """Body and headers: a file as it is, or in base 64 where there are parameters."""
        parameters = {k: v for k, v in request.parameters.items() if k not in _LOCAL}
        if request.content is not None:
            if not parameters:
                return request.content, {**self._key, "content-type": _media(request.content)}
            inputs: Json = base64.b64encode(request.content).decode()
        elif request.text is None:
            raise NotAsked(f"{self.provider} takes files, not their addresses")
        elif task == "question_answering":
            inputs = {"question": request.text, "context": parameters.pop("context", "")}
        else:
            inputs = request.text
        body: JsonObject = {"inputs": inputs}
        return ({**body, "parameters": parameters} if parameters else body), self._key


def _model(task: str, request: ApiRequest) -> str:
    model = str(request.parameters.get("model") or DEFAULTS.get(task, ""))
    if _MODEL.fullmatch(model) is None or ".." in model:
        raise NotAsked(f"{task} was asked of no model that has a name on Hugging Face")
    return model


def _named(value: Json) -> Json:
    """An answer as the library reads it: one list of objects, not a list in a list or columns."""
    items = elements(value)
    if len(items) == 1 and isinstance(items[0], list):
        return items[0]
    if isinstance(value, dict) and {"labels", "scores"} <= value.keys():
        pairs = zip(elements(value["labels"]), elements(value["scores"]), strict=True)
        return [{"label": label, "score": score} for label, score in pairs]
    return value


def _media(content: bytes) -> str:
    found = (media for start, media in _MEDIA if content.startswith(start))
    return next(found, "application/octet-stream")
