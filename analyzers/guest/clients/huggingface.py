"""Requests of pipelines and inference clients, and their answers."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..protocol import api_calls
from ..runtime.standins import Entered, InertModule, awaited
from .client_rules import ClientProject, ClientRule
from .conversations import said
from .described_apis import ELEMENTS, DescribedApis, Entry, failure, plain, source
from .event_streams import Events, completion_chunks, halves
from .response_record import Subscriptable

_INPUTS = (
    "inputs", "text", "image", "audio", "messages", "prompt", "question", "images", "sequences",
)  # fmt: skip
_ENVELOPE = ("parameters", "options")
_MODEL = re.compile(
    r"/(?:models|pipeline/[\w-]+)/([\w.-]+(?:/[\w.-]+)?)(?:/pipeline/[\w-]+)?/?(?:$|[?#])"
)
_FIRST_HOST = "api-inference.huggingface.co"
"""The older form of zero-shot labels, in columns; the router sends a list of elements."""
_ONE_OBJECT = ("image_to_text", "question_answering", "summarization")


def semantic(entry: Entry, value: Any, options: Mapping[str, Any]) -> api_calls.ApiRequest:
    """The question about one input."""
    kind = str((entry.get("input") or {}).get("kind"))
    name, asked = str(entry["name"]), plain(options)
    if isinstance(value, Mapping) and "raw" in value:
        value = value["raw"]
    if kind == "text":
        texts = said(value)
        text = "\n".join(map(str, texts)) if len(texts) > 1 else next(iter(texts), None)
        return api_calls.ApiRequest(name, None, text, None, asked)
    content, _, uri = source(value, kind)
    return api_calls.ApiRequest(name, content, None, uri, asked)


def placed(args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """The input of a call; its keyword is taken out of ``options``."""
    if args:
        if args[1:]:
            options.setdefault("candidate_labels", args[1])
        return args[0]
    found = [name for name in _INPUTS if options.get(name) is not None]
    return options.pop(found[0]) if found else None


class HubInference:
    """The methods of ``InferenceClient``."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described

    def entry(self, method: str) -> Optional[Entry]:
        """The description of a method."""
        return self.described.method(f"huggingface_hub.InferenceClient.{method}")

    def posted(self, entry: Entry, url: str, body: Any) -> Any:
        """The JSON that answers a request: a content, or inputs with their parameters."""
        options: Dict[str, Any] = {}
        if isinstance(body, Mapping):
            options = {str(key): value for key, value in body.items() if key not in _ENVELOPE}
            options.update(body.get("parameters") or {})
            if isinstance(options.get("inputs"), Mapping):
                options.update(options.pop("inputs"))
            body = placed((), options)
        model = _MODEL.search(url)
        if model is not None:
            options.setdefault("model", model.group(1))
        answer = self.described.ask(entry, semantic(entry, body, options))
        if ELEMENTS not in answer:
            return answer
        found: List[Dict[str, Any]] = answer[ELEMENTS]
        name = str(entry["name"]).rpartition(".")[2]
        if name == "zero_shot_classification" and _FIRST_HOST in url:
            labels, scores = _column(found, "label"), _column(found, "score")
            return {"sequence": body, "labels": labels, "scores": scores}
        if name == "question_answering":
            return found[0] if found else {}
        return [found] if name == "text_classification" else found

    def answer(self, entry: Entry, args: Tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Return what the method returns, in plain values; raises ``NoAnswer``."""
        asked = dict(options)
        value = placed(args, asked)
        answer = self.described.ask(entry, semantic(entry, value, asked))
        name = str(entry["name"]).rpartition(".")[2]
        if ELEMENTS not in answer and not self.described.shape(entry)[1]:
            return answer
        elements = answer.get(ELEMENTS) or []
        if name == "text_generation":
            return str(elements[0].get("generated_text", "")) if elements else ""
        return (elements or [{}])[0] if name in _ONE_OBJECT else elements


def unreachable(name: str) -> Exception:
    """Return what is raised for what no described API is."""
    return api_calls.unanswered(name, ConnectionError(f"{name} is no described ML API"))


# ------------------------------------------------------------------ pipelines


class Pipelines:
    """Makes ``transformers.pipeline``: no model is loaded."""

    def __init__(self, described: DescribedApis) -> None:
        self._described = described

    def pipeline(self, task: Any = None, model: Any = None, *_: Any, **options: Any) -> Pipeline:
        """A pipeline for a task."""
        entry = self._described.method(f"transformers.pipeline('{task}')")
        kept = {key: value for key, value in options.items() if key in _OPTIONS}
        named = {"model": model} if isinstance(model, str) else {}
        return Pipeline(self._described, str(task), entry, {**named, **kept})


_OPTIONS = (
    "top_k", "return_all_scores", "aggregation_strategy", "threshold", "candidate_labels",
    "multi_label", "function_to_apply", "revision",
)  # fmt: skip


class Pipeline:
    """A pipeline; called, it asks about its inputs one by one."""

    def __init__(
        self, described: DescribedApis, task: str, entry: Optional[Entry], options: Dict[str, Any]
    ) -> None:
        self.task = task
        self.model = self.tokenizer = None
        self._described = described
        self._entry = entry
        self._options = options

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Answer as the pipeline of the task does."""
        if self._entry is None:
            raise unreachable(f"transformers.pipeline({self.task!r})")
        asked = {**self._options, **options}
        value = placed(args, asked)
        if isinstance(value, (list, tuple)) and "generation" not in self.task:
            return [self._shaped(self._ask(each, asked), asked, each, True) for each in value]
        return self._shaped(self._ask(value, asked), asked, value, False)

    def _ask(self, value: Any, options: Mapping[str, Any]) -> Dict[str, Any]:
        entry: Any = self._entry
        return self._described.ask(entry, semantic(entry, value, options))

    def _shaped(
        self, answer: Mapping[str, Any], options: Mapping[str, Any], value: Any, many: bool
    ) -> Any:
        name = str((self._entry or {})["name"]).rpartition(".")[2]
        elements: List[Dict[str, Any]] = [dict(each) for each in answer.get(ELEMENTS) or []]
        if name == "text_classification":
            return _best(elements, options, many)
        if name == "zero_shot_classification":
            labels, scores = _column(elements, "label"), _column(elements, "score")
            return {"sequence": value, "labels": labels, "scores": scores}
        if name == "token_classification" and not options.get("aggregation_strategy"):
            return [_by_token(each) for each in elements]
        if name == "image_classification":
            return elements[: int(options.get("top_k") or 5)]
        if name == "question_answering":
            return elements[0] if elements else {}
        return elements if ELEMENTS in answer else dict(answer)


def _best(elements: List[Dict[str, Any]], options: Mapping[str, Any], many: bool) -> Any:
    if options.get("return_all_scores") or options.get("top_k", 1) is None:
        return elements
    most = int(options.get("top_k", 1))
    return elements[0] if many and most == 1 and elements else elements[:most]


def _column(elements: List[Dict[str, Any]], name: str) -> List[Any]:
    return [each.get(name) for each in elements]


def _by_token(element: Dict[str, Any]) -> Dict[str, Any]:
    named = element.pop("entity_group", None)
    return element if "entity" in element else {**element, "entity": named}


_CLIENTS = ("InferenceClient", "AsyncInferenceClient")
_OWN = ("close",)
Wrap = Callable[[Entry, Any], Any]


def huggingface_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules of Hugging Face's libraries."""
    described = DescribedApis(project.entries, project.schema)
    hub, pipelines = Hub(HubInference(described)), Pipelines(described)

    def patch(module: ModuleType) -> None:
        vars(module)["pipeline"] = pipelines.pipeline

    def transformers(name: str) -> InertModule:
        module = InertModule(name)
        patch(module)
        return module

    client = r"huggingface_hub\.inference\._(client|generated\._async_client)"
    return [
        ClientRule(client, patch=hub.patch),
        ClientRule(r"huggingface_hub(\.inference(\._client)?)?", standin=hub.module),
        ClientRule(r"transformers\.pipelines", patch=patch, standin=transformers),
        ClientRule(r"transformers", standin=transformers),
    ]


class Hub:
    """Patches and stands in for the inference clients."""

    def __init__(self, inference: HubInference) -> None:
        self._inference = inference

    def patch(self, module: ModuleType) -> None:
        """Patch the modules of the clients: every method that asks a model."""
        for name in _CLIENTS:
            client: Any = vars(module).get(name)
            for method, original in [
                (name, value)
                for name, value in (vars(client).items() if client is not None else ())
                if inspect.isfunction(value) and not name.startswith("_") and name not in _OWN
            ]:
                made = self._method(method, _as_sdk)
                later = inspect.iscoroutinefunction(original)
                setattr(client, method, awaited(made) if later else made)

    def module(self, name: str) -> InertModule:
        """A stand-in for ``huggingface_hub``."""
        return _Module(name, _hub=self)

    def _method(self, name: str, wrap: Wrap) -> Callable[..., Any]:
        entry = self._inference.entry(name)

        def method(client: Any, *args: Any, **options: Any) -> Any:
            stream = options.pop("stream", None) is True
            if entry is None:
                raise unreachable(f"huggingface_hub.{name}")
            if options.get("model") is None and isinstance(client.model, str):
                options["model"] = client.model
            try:
                answer = self._inference.answer(entry, args, options)
            except api_calls.ServiceFailure as failed:
                raise _failure(failed) from None
            if not stream:
                return wrap(entry, answer)
            if isinstance(answer, str):
                return Events(halves(answer))
            chunk = {**entry, "schema": f"{entry['schema'].replace('Output', 'StreamOutput')}"}
            return Events(wrap(chunk, each) for each in completion_chunks(answer))

        method.__name__ = name
        return method

    def standin(self, name: str) -> Callable[..., Any]:
        """A method of a client without the library."""
        schema = self._inference.described.schema

        def record(entry: Entry, answer: Any) -> Any:
            if isinstance(answer, list):
                return [record(entry, each) for each in answer]
            if isinstance(answer, str):
                return answer
            return Subscriptable(schema, str(entry["schema"]), answer)

        return self._method(name, record)


def _failure(failed: api_calls.ServiceFailure) -> BaseException:
    """Return what the library raises for a status, or for no answer in time."""
    errors: Any = sys.modules.get("huggingface_hub.errors")
    if errors is None:
        return failed
    if failed.status is None:
        late: BaseException = errors.InferenceTimeoutError("The request timed out")
        return late
    http: Any = importlib.import_module(errors.HTTPError.__module__.partition(".")[0])
    given = failure(failed.status, "huggingface")
    request = http.Request("POST", "https://router.huggingface.co")
    if http.__name__ == "requests":
        response = http.Response()
        response.status_code, response.request = failed.status, request.prepare()
        response.headers["Content-Type"] = "application/json"
        response._content = json.dumps(given).encode()
    else:
        response = http.Response(failed.status, json=given, request=request)
    refused: BaseException = errors.HfHubHTTPError(str(failed), response=response)
    return refused


def _as_sdk(entry: Entry, answer: Any) -> Any:
    """The objects that the library makes of an answer."""
    import huggingface_hub

    kind: Any = getattr(huggingface_hub, str(entry["schema"]).rpartition(".")[2])
    if isinstance(answer, str) or not api_calls.session().faithful:
        return answer
    if isinstance(answer, list):
        return [kind.parse_obj(each) for each in answer]
    return kind.parse_obj(answer)


class _Module(InertModule):
    def __getattr__(self, name: str) -> Any:
        if name not in _CLIENTS:
            return super().__getattr__(name)
        hub, later = self.__dict__["_hub"], name.startswith("Async")

        class Client(_Client):
            def __getattr__(self, method: str) -> Any:
                if method.startswith("_"):
                    raise AttributeError(method)
                made = hub.standin(method)
                return (awaited(made) if later else made).__get__(self)

        Client.__name__ = name
        return Client


class _Client(Entered):
    def __init__(self, model: Any = None, **_: Any) -> None:
        self.model = model
        self.chat = self.completions = self

    def create(self, *args: Any, **options: Any) -> Any:
        """``chat.completions.create``, another name of ``chat_completion``."""
        return self.chat_completion(*args, **options)  # type: ignore[attr-defined]
