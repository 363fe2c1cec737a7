"""The rules for ``transformers`` and ``huggingface_hub``."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any, Callable, List, Tuple

from .. import calls
from ..standins import Entered, InertModule
from .described import Described, Entry
from .family import Project, Rule
from .huggingface import Inference, Pipelines, unreachable
from .record import Subscriptable

_CLIENTS = ("InferenceClient", "AsyncInferenceClient")
_OWN = ("close",)
Wrap = Callable[[Entry, Any], Any]


def rules(project: Project) -> List[Rule]:
    """What is done about the modules of Hugging Face's libraries."""
    described = Described(project.entries, project.schema)
    hub, pipelines = Hub(Inference(described)), Pipelines(described)

    def patch(module: ModuleType) -> None:
        vars(module)["pipeline"] = pipelines.pipeline

    def transformers(name: str) -> InertModule:
        module = InertModule(name)
        patch(module)
        return module

    client = r"huggingface_hub\.inference\._(client|generated\._async_client)"
    return [
        Rule(client, patch=hub.patch),
        Rule(r"huggingface_hub(\.inference(\._client)?)?", standin=hub.module),
        Rule(r"transformers\.pipelines", patch=patch, standin=transformers),
        Rule(r"transformers", standin=transformers),
    ]


class Hub:
    """Patches and stands in for the inference clients."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def patch(self, module: ModuleType) -> None:
        """Patch the modules of the clients: every method that asks a model."""
        for name in _CLIENTS:
            client: Any = vars(module).get(name)
            for method, original in _methods(client):
                made = self._method(method, _as_sdk)
                later = inspect.iscoroutinefunction(original)
                setattr(client, method, _awaited(made) if later else made)

    def module(self, name: str) -> InertModule:
        """A stand-in for ``huggingface_hub``."""
        return _Module(name, self)

    def _method(self, name: str, wrap: Wrap) -> Callable[..., Any]:
        entry = self._inference.entry(name)

        def method(client: Any, *args: Any, **options: Any) -> Any:
            if entry is None or options.get("stream"):
                raise unreachable(f"huggingface_hub.{name}")
            if options.get("model") is None and isinstance(client.model, str):
                options["model"] = client.model
            return wrap(entry, self._inference.answer(entry, args, options))

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


def _methods(client: Any) -> List[Tuple[str, Any]]:
    """The public methods of a class but those that ask nobody."""
    return [
        (name, value)
        for name, value in (vars(client).items() if client is not None else ())
        if inspect.isfunction(value) and not name.startswith("_") and name not in _OWN
    ]


def _as_sdk(entry: Entry, answer: Any) -> Any:
    """The objects that the library makes of an answer."""
    import huggingface_hub

    kind: Any = getattr(huggingface_hub, str(entry["schema"]).rpartition(".")[2])
    if isinstance(answer, str) or not calls.session().faithful:
        return answer
    if isinstance(answer, list):
        return [kind.parse_obj(each) for each in answer]
    return kind.parse_obj(answer)


def _awaited(made: Callable[..., Any]) -> Callable[..., Any]:
    async def awaited(*args: Any, **options: Any) -> Any:
        return made(*args, **options)

    awaited.__name__ = made.__name__
    return awaited


class _Module(InertModule):
    def __init__(self, name: str, hub: Hub) -> None:
        super().__init__(name)
        self.__dict__["_hub"] = hub

    def __getattr__(self, name: str) -> Any:
        if name not in _CLIENTS:
            return super().__getattr__(name)
        hub, awaited = self.__dict__["_hub"], name.startswith("Async")

        class Client(_Client):
            def __getattr__(self, method: str) -> Any:
                if method.startswith("_"):
                    raise AttributeError(method)
                made = hub.standin(method)
                return (_awaited(made) if awaited else made).__get__(self)

        Client.__name__ = name
        return Client


class _Client(Entered):
    """An inference client without the library."""

    def __init__(self, model: Any = None, **_: Any) -> None:
        self.model = model
        self.chat = self.completions = self

    def create(self, *args: Any, **options: Any) -> Any:
        """``chat.completions.create``, another name of ``chat_completion``."""
        return self.chat_completion(*args, **options)  # type: ignore[attr-defined]
