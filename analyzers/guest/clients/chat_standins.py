"""Stand-ins for libraries that pass a language model's chat on, where they are not installed.

Where they are, they send their requests through the transports that are answered.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, Sequence

from ..runtime.standins import Entered, InertModule, awaited, is_standin
from .client_rules import ClientProject, ClientRule
from .described_apis import DescribedApis, Entry
from .event_streams import Events, halves
from .openai import OpenAI
from .openai_standins import OpenAIStandins
from .other_providers import OtherProviders
from .response_record import UNKNOWN, Subscriptable
from .schema_messages import Schema

_OPENAI_SHAPED = r"groq|together|mistralai(\.client)?|instructor|litellm"
_AGENTS = "pydantic_ai"
_PARSED = re.compile(r"OutputParser")
_NOTHING = Schema({})


class SaidText(Subscriptable):
    """The answer of a model as its library gives it; as a text it is what the model says."""

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


def _result(text: str) -> SaidText:
    """Return a text as the result of a run of an agent of Pydantic."""
    return SaidText(_NOTHING, UNKNOWN, {"output": text, "data": text})


def _itself(text: str) -> str:
    return text


Made = Callable[[str], Any]
_MADE: Mapping[str, Made] = {
    "invoke": _message, "stream": _message, "batch": _message, "predict": _itself, "run": _itself,
    "complete": _completion, "stream_complete": _completion, "chat": _reply, "stream_chat": _reply,
}  # fmt: skip
"""What the methods of a model in a chain give, without the ``a`` of the asynchronous ones."""


class Asking:
    """Asks any described language model, and returns what it says."""

    def __init__(self, described: DescribedApis) -> None:
        self._openai = OpenAI(described)
        self._other = OtherProviders(described)

    def text(self, entry: Entry, value: Any) -> str:
        """Return the text of the answer to a prompt, or to messages."""
        messages = value if isinstance(value, (list, tuple)) else [_turn(value)]
        head = str((entry.get("input") or {}).get("field")).split("[")[0].split(".")[0]
        body = {head: [_as_message(each) for each in messages]}
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
    """A model, and the chain of calls that it stands in, whose prompt and parser are inert."""

    is_chained = True

    def __init__(self, ask: Callable[[Any], str], *, parsed: bool = False) -> None:
        self._ask = ask
        self._parsed = parsed

    def __or__(self, other: Any) -> ChainedModel:
        parsed = is_standin(other) and _PARSED.search(repr(other)) is not None
        return ChainedModel(self._ask, parsed=self._parsed or parsed)

    def __ror__(self, other: Any) -> ChainedModel:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        later = name[:1] == "a" and name[1:] in _MADE
        plain = name[1:] if later else name
        if plain not in _MADE:
            return lambda *_, **__: self
        made = _itself if self._parsed else _MADE[plain]

        def method(value: Any = "", *_: Any, **named: Any) -> Any:
            asked = next(iter(named.values()), "") if value == "" else value
            if plain == "batch":
                return [made(self._ask(each)) for each in asked]
            text = self._ask(asked)
            return Events(map(made, halves(text))) if "stream" in plain else made(text)

        return awaited(method) if later and plain != "stream" else method


class _Run(Entered):
    """A run of an agent whose answer comes in parts."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def get_output(self) -> str:
        return self._text

    def stream_text(self, *, delta: bool = False, **_: Any) -> Events:
        return Events(halves(self._text) if delta else [self._text])

    stream_output = stream_text


class _Agent:
    def __init__(self, asking: Asking, entries: Sequence[Entry], model: Any = "", **_: Any) -> None:
        name = str(model)
        known = (each for each in entries if name.startswith(tuple(each.get("models") or ("\0",))))
        self._entry = next(known, _default(entries))
        self._asking = asking

    def run_sync(self, prompt: Any = "", **_: Any) -> Any:
        return _result(self._asking.text(self._entry, prompt))

    run = awaited(run_sync)

    def run_stream(self, prompt: Any = "", **_: Any) -> Any:
        return _Run(self._asking.text(self._entry, prompt))

    def tool(self, function: Any = None, **_: Any) -> Any:
        return function if callable(function) else lambda each: each

    tool_plain = system_prompt = instructions = output_validator = tool


def _default(entries: Sequence[Entry]) -> Entry:
    return next(each for each in entries if str(each["name"]) == "openai.chat_completions")


class _Module(InertModule):
    """A module with clients of language models by name."""

    def __getattr__(self, name: str) -> Any:
        made: Mapping[str, Any] = self.__dict__["_clients"]
        return made[name] if name in made else super().__getattr__(name)


def chat_rules(project: ClientProject) -> List[ClientRule]:
    """Return the stand-ins of the libraries that chains and agents are made with."""
    described = DescribedApis(project.entries, project.schema)
    asking = Asking(described)
    clients: Dict[str, Dict[str, Any]] = {}
    for entry in project.entries:
        for name in entry.get("chains") or ():
            module, _, kind = str(name).rpartition(".")
            clients.setdefault(module, {})[kind] = _client(asking, entry)
    entries = [entry for entry in project.entries if entry.get("task") == "chat"]
    if described.named("openai.chat_completions") is not None:

        def agent(model: Any = "", *_: Any, **__: Any) -> _Agent:
            return _Agent(asking, entries, model)

        clients[_AGENTS] = {"Agent": agent}
    standins = OpenAIStandins(OpenAI(described))
    return [
        ClientRule(_OPENAI_SHAPED, standin=standins.module),
        *(ClientRule(re.escape(name), standin=_maker(known)) for name, known in clients.items()),
    ]


def _client(asking: Asking, entry: Entry) -> Callable[..., ChainedModel]:
    def made(*_: Any, **__: Any) -> ChainedModel:
        return ChainedModel(lambda value: asking.text(entry, value))

    return made


def _maker(clients: Mapping[str, Any]) -> Callable[[str], InertModule]:
    def make(name: str) -> InertModule:
        return _Module(name, _clients=clients)

    return make
