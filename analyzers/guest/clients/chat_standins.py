"""Stand-ins for libraries that pass a language model's chat on, where they are not installed.

Where they are, they send their requests through the transports that are answered.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ..runtime.standins import Entered, InertModule, awaited, is_standin
from .client_rules import ClientProject, ClientRule
from .described_apis import DescribedApis, Entry
from .event_streams import Events, halves
from .genai_standins import TypesModule
from .openai import OpenAI
from .openai_standins import OpenAIStandins
from .other_providers import OtherProviders
from .response_record import UNKNOWN, Subscriptable
from .schema_messages import Schema

_OPENAI_SHAPED = r"groq|together|mistralai(\.client)?|azure\.ai\.inference(\.aio)?"
_PARSED = re.compile(r"OutputParser")
_NOTHING = Schema({})


class SaidText(Subscriptable):
    """An answer of a library of chains; ``str()`` of it gives the model's text."""

    def __str__(self) -> str:
        return str(self.__dict__.get("content") or self.__dict__.get("text") or "")


def _message(text: str) -> SaidText:
    """Return a text as LangChain's ``AIMessage``."""
    fields: Dict[str, Any] = {
        "content": text, "text": text, "type": "ai", "id": "assayer", "name": None,
        "additional_kwargs": {}, "response_metadata": {}, "tool_calls": [],
        "invalid_tool_calls": [], "usage_metadata": None,
    }  # fmt: skip
    return SaidText(_NOTHING, UNKNOWN, fields)


def _completion(text: str) -> SaidText:
    """Return a text as LlamaIndex's ``CompletionResponse``."""
    return SaidText(_NOTHING, UNKNOWN, {"text": text, "delta": text, "raw": None})


def _reply(text: str) -> SaidText:
    """Return a text as LlamaIndex's ``ChatResponse``."""
    message = {"role": "assistant", "content": text, "additional_kwargs": {}}
    return SaidText(_NOTHING, UNKNOWN, {"message": message, "delta": text, "raw": None})


def _result(output: Any) -> SaidText:
    """Return an output as the result of a run of an agent of Pydantic."""
    return SaidText(_NOTHING, UNKNOWN, {"output": output, "data": output})


def _itself(text: str) -> str:
    return text


def _reader(shape: Any) -> Callable[[str], Any]:
    """Return what makes an object of a class, or of another type, out of its JSON."""
    read: Callable[[str], Any] = getattr(shape, "model_validate_json", json.loads)
    return read


Made = Callable[[str], Any]
_MADE: Mapping[str, Made] = {
    "invoke": _message, "stream": _message, "batch": _message, "predict": _itself, "run": _itself,
    "complete": _completion, "stream_complete": _completion, "chat": _reply, "stream_chat": _reply,
}  # fmt: skip
"""The result of each method of a model; asynchronous ones have an ``a`` before the name."""


class Asking:
    """Asks any described language model, and returns what it says."""

    def __init__(self, described: DescribedApis) -> None:
        self._openai = OpenAI(described)
        self._other = OtherProviders(described)

    def text(self, entry: Entry, value: Any, shape: Any = None) -> str:
        """Return the text of the answer to a prompt, or to messages; of a ``shape`` its JSON."""
        messages = value if isinstance(value, (list, tuple)) else [_turn(value)]
        head = str((entry.get("input") or {}).get("field")).split("[")[0].split(".")[0]
        body: Dict[str, Any] = {head: [_as_message(each) for each in messages]}
        if shape is not None:
            schema = shape if isinstance(shape, Mapping) else shape.model_json_schema()
            body["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
        if str(entry["provider"]) == "openai":
            answer = self._openai.answer(entry, body)
        else:
            answer = self._other.called(entry, (), body)
        return "".join(map(str, _at(answer, str(entry["key"]).replace("[]", "").split("."))))


def _turn(value: Any) -> Dict[str, Any]:
    if isinstance(value, Mapping):
        value = "\n".join(str(each) for each in value.values())
    return {"role": "user", "content": str(value)}


def _as_message(value: Any) -> Any:
    if isinstance(value, tuple) and len(value) == 2:
        return {"role": str(value[0]), "content": str(value[1])}
    return value if isinstance(value, Mapping) and "content" in value else _turn(value)


def _at(value: Any, path: Sequence[str]) -> List[Any]:
    if isinstance(value, (list, tuple)):
        return [found for each in value for found in _at(each, path)]
    if not path:
        return [] if value is None else [value]
    return _at(value.get(path[0]), path[1:]) if isinstance(value, Mapping) else []


class ChainedModel(Entered):
    """A model with the chain around it; prompts are inert, a parser of texts gives the text.

    ``ask`` takes what is said and the shape of what is wanted, if any; ``made`` makes what the
    chain ends with.
    """

    is_chained = True

    def __init__(
        self, ask: Callable[[Any, Any], str], shape: Any = None, made: Optional[Made] = None
    ) -> None:
        self._ask = ask
        self._shape = shape
        self._made = made

    def __or__(self, other: Any) -> ChainedModel:
        parsed = is_standin(other) and _PARSED.search(repr(other)) is not None
        return ChainedModel(self._ask, self._shape, _itself if parsed else self._made)

    def __ror__(self, other: Any) -> ChainedModel:
        return self

    def with_structured_output(self, schema: Any = None, **_: Any) -> ChainedModel:
        """The model whose answers are objects of a class."""
        return ChainedModel(self._ask, schema, _reader(schema))

    def as_structured_llm(self, output_cls: Any, **_: Any) -> ChainedModel:
        """The model of LlamaIndex whose answers hold objects of a class."""
        read = _reader(output_cls)

        def made(text: str) -> SaidText:
            return SaidText(_NOTHING, UNKNOWN, {"text": text, "raw": read(text)})

        return ChainedModel(self._ask, output_cls, made)

    def structured_predict(self, output_cls: Any, prompt: Any = "", **said: Any) -> Any:
        """An object of a class, as a model of LlamaIndex gives it."""
        del prompt
        return _reader(output_cls)(self._ask(said or "", output_cls))

    astructured_predict = awaited(structured_predict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        later = name[:1] == "a" and name[1:] in _MADE
        plain = name[1:] if later else name
        if plain not in _MADE:
            return lambda *_, **__: self
        made = self._made or _MADE[plain]

        def method(value: Any = "", *_: Any, **named: Any) -> Any:
            asked = next(iter(named.values()), "") if value == "" else value
            if plain == "batch":
                return [made(self._ask(each, self._shape)) for each in asked]
            text = self._ask(asked, self._shape)
            whole = self._shape is not None or "stream" not in plain
            return made(text) if whole else Events(map(made, halves(text)))

        return awaited(method) if later and plain != "stream" else method


class _Structured(Entered):
    """A client of ``instructor`` around one of Anthropic's."""

    def __init__(self, asking: Asking, entry: Entry, *, later: bool) -> None:
        def create(*, messages: Any = (), response_model: Any = None, **_: Any) -> Any:
            read = _completion if response_model is None else _reader(response_model)
            return read(asking.text(entry, messages, response_model))

        self.messages = self.chat = self.completions = self
        self.create = awaited(create) if later else create


class _Run(Entered):
    """A run of an agent of Pydantic whose answer comes in parts."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def get_output(self) -> str:
        return self._text

    def stream_text(self, *, delta: bool = False, **_: Any) -> Events:
        return Events(halves(self._text) if delta else [self._text])

    stream_output = stream_text


class _Agent:
    """An agent of Pydantic; ``entry`` is the API that it asks."""

    def __init__(self, asking: Asking, entry: Entry, shape: Any) -> None:
        self._asking = asking
        self._entry = entry
        self._shape = shape if hasattr(shape, "model_validate_json") else None

    def run_sync(self, prompt: Any = "", **_: Any) -> Any:
        text = self._asking.text(self._entry, prompt, self._shape)
        return _result(text if self._shape is None else _reader(self._shape)(text))

    run = awaited(run_sync)

    def run_stream(self, prompt: Any = "", **_: Any) -> Any:
        return _Run(self._asking.text(self._entry, prompt, self._shape))

    def tool(self, function: Any = None, **_: Any) -> Any:
        return function if callable(function) else lambda each: each

    tool_plain = system_prompt = instructions = output_validator = tool


def _by_model(entries: Sequence[Entry], model: Any) -> Optional[Entry]:
    """Return the API that is asked with a model of that name, ``None`` where no API claims it."""
    chats = (entry for entry in entries if entry.get("task") == "chat" and entry.get("models"))
    return next((each for each in chats if str(model).startswith(tuple(each["models"]))), None)


def chat_rules(project: ClientProject) -> List[ClientRule]:
    """Return the stand-ins of the libraries that chains and agents are made with."""
    described = DescribedApis(project.entries, project.schema)
    asking = Asking(described)
    clients: Dict[str, Dict[str, Any]] = {}
    for entry in project.entries:
        for name in entry.get("chains") or ():
            module, _, kind = str(name).rpartition(".")
            clients.setdefault(module, {})[kind] = _client(asking, entry)
    standins = OpenAIStandins(OpenAI(described))
    functions: Dict[str, Any] = {}
    default = described.named("openai.chat_completions")
    if default is not None:

        def agent(model: Any = "", *_: Any, output_type: Any = str, **__: Any) -> _Agent:
            return _Agent(asking, _by_model(project.entries, model) or default, output_type)

        def completion(model: Any = "", messages: Any = (), *_: Any, **options: Any) -> Any:
            asked = {"model": model, "messages": messages, **options}
            entry = _by_model(project.entries, model)
            if entry is None:
                return standins.asked(asked)
            return standins.said(default, asking.text(entry, messages), asked)

        def from_anthropic(client: Any, *_: Any, **__: Any) -> _Structured:
            later = type(client).__name__.startswith("Async")
            return _Structured(
                asking, described.named("anthropic.messages") or default, later=later
            )

        clients["pydantic_ai"] = {"Agent": agent}
        functions.update(completion=completion, acompletion=awaited(completion))
        functions.update(from_anthropic=from_anthropic)
    with_functions = functools.partial(standins.module, functions=functions)
    return [
        ClientRule(_OPENAI_SHAPED, standin=standins.module),
        ClientRule(r"azure\.ai\.inference\.models", standin=TypesModule),
        ClientRule(r"instructor|litellm(\.exceptions)?", standin=with_functions),
        *(
            ClientRule(re.escape(name), standin=functools.partial(InertModule, **known))
            for name, known in clients.items()
        ),
    ]


def _client(asking: Asking, entry: Entry) -> Callable[..., ChainedModel]:
    def made(*_: Any, **__: Any) -> ChainedModel:
        return ChainedModel(lambda value, shape: asking.text(entry, value, shape))

    return made
