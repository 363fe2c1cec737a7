"""Parts of requests and responses that stand in for those of Google's SDKs of models."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any, Dict, List

from ..runtime.standins import InertModule
from .response_record import Record, Subscriptable

RESPONSE = "google.genai.types.GenerateContentResponse"
GIVEN = frozenset({"GenerationConfig"})


class Named(str):
    """A member of an enum of texts."""

    @property
    def name(self) -> str:
        """The member's name."""
        return str(self)

    value = name


class _Kind(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Named(name) if name.isupper() else lambda *_, **fields: cls(**fields)


class Given(Dict[str, Any], metaclass=_Kind):
    """A part of a request: a mapping whose fields are attributes, too."""

    def __init__(self, content: Any = None, **fields: Any) -> None:
        given = {"content": content, **fields}
        super().__init__({key: value for key, value in given.items() if value is not None})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name)


def kind_of(name: str) -> type:
    """Return the class of that name of a part of a request."""
    return _Kind(name, (Given,), {})


class TypesModule(InertModule):
    """The classes of parts of requests."""

    def __getattr__(self, name: str) -> Any:
        if not name[:1].isupper():
            return super().__getattr__(name)
        self.__dict__[name] = kind_of(name)
        return self.__dict__[name]


def with_properties(made: Any) -> Any:
    """Return a response with what the SDK reads in its first candidate."""
    own = made.__dict__
    for each in own["candidates"] or ():
        if each.finish_reason is not None:
            each.__dict__["finish_reason"] = Named(each.finish_reason)
    content = own["candidates"][0].content if own["candidates"] else None
    parts = own["parts"] = (content.parts or None) if content is not None else None
    texts = [part.text for part in parts or () if part.text is not None]
    calls = [part.function_call for part in parts or () if isinstance(part.function_call, Record)]
    own["text"] = "".join(texts) if texts else None
    own["function_calls"] = calls or None
    return made


_NO_TEXT = (
    "The `response.text` quick accessor requires the response to contain a valid `Part`, but none"
    " were returned."
)


class FirstResponse(Subscriptable):
    """A response of the first SDKs: its properties raise where there is no text."""

    _error = None

    @property
    def text(self) -> str:
        """The text of the first candidate's parts."""
        texts = [part.text for part in self.parts if part.text is not None]
        if not texts:
            raise ValueError(_NO_TEXT)
        return "".join(texts)

    @property
    def parts(self) -> List[Any]:
        """The parts of the first candidate."""
        if not self.candidates:
            raise ValueError("The `response.parts` quick accessor requires a single candidate.")
        content: Any = self.candidates[0].content
        return list((content.parts if content is not None else None) or ())

    @property
    def candidates(self) -> List[Any]:
        """The candidates, none where the prompt is blocked."""
        return self.__dict__["candidates"] or []

    def resolve(self) -> None:
        """Nothing: the whole is there."""


def with_raising_properties(made: Any) -> Any:
    """Return a response with the properties of the first SDKs."""
    with_properties(made)
    for name in ("text", "parts", "function_calls"):
        made.__dict__.pop(name, None)
    made.__class__ = FirstResponse
    return made


def shape_of(options: Mapping[str, Any]) -> Any:
    """Return the class, or another type, that a request wants its text to be read as."""
    config: Any = options.get("config") or options.get("generation_config")
    shape: Any = config.get("response_schema") if isinstance(config, Mapping) else None
    return None if isinstance(shape, Mapping) else shape


def with_schema(options: Dict[str, Any], shape: Any) -> Dict[str, Any]:
    """Return a request's options with the schema of the type in its place."""
    if shape is None:
        return options
    name = "config" if options.get("config") else "generation_config"
    schema = _adapter(shape).json_schema()
    return {**options, name: {**options[name], "response_schema": schema}}


def with_parsed(made: Any, shape: Any) -> Any:
    """Return a response with its text read as a type, ``None`` where it is no such."""
    try:
        made.__dict__["parsed"] = _adapter(shape).validate_python(json.loads(made.text or ""))
    except ValueError:
        made.__dict__["parsed"] = None
    return made


def _adapter(shape: Any) -> Any:
    return importlib.import_module("pydantic").TypeAdapter(shape)
