"""Extracts response schemas from the type hints of the SDKs' response classes."""

from __future__ import annotations

import enum
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from analyzers.catalogue import load_catalogue

_SCALARS: Mapping[Any, str] = {
    str: "string", bytes: "bytes", bool: "bool", float: "double", int: "int64",
}  # fmt: skip
_DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "azure": (
        "azure-ai-documentintelligence",
        "azure-ai-textanalytics",
        "azure-ai-vision-imageanalysis",
    ),
    "openai": ("openai",),
    "huggingface": ("huggingface_hub",),
}
# whose SDKs are not installed, or say nothing of REST
_OLD = ("azure.cognitiveservices.", "azure.speech.")
_WIRE = {("DetectLanguageResult", "primary_language"): "detectedLanguage"}
# members of a union that answers have beside its first class; the fields of each are optional
_TOGETHER: Mapping[str, tuple[str, ...]] = {
    "ResponseOutputMessage": ("ResponseFunctionToolCall", "ResponseReasoningItem"),
    "ResponseOutputText": ("ResponseOutputRefusal",),
}
# settings of the request and accounts of tokens that a response repeats
_OPAQUE = frozenset(
    {
        "access_programs", "annotations", "audio", "function_call", "instructions", "languages",
        "logprobs", "moderation", "prompt", "prompt_cache_options", "reasoning", "text_config",
        "tool_choice", "tools", "top_logprobs",
    }
)  # fmt: skip


def extract(provider: str) -> dict[str, Any]:
    """The schemas of the catalogue's entries of a provider, from the installed SDKs."""
    messages: dict[str, Any] = {}
    for name, api in load_catalogue().apis.items():
        if name.startswith(f"{provider}.") and api.schema and not api.schema.startswith(_OLD):
            _walk(_class(api.schema), api.schema, messages)
    sdk = ", ".join(f"{name} {version(name)}" for name in _DISTRIBUTIONS[provider])
    return {"sdk": sdk, "messages": dict(sorted(messages.items())), "enums": {}}


def _extractor(provider: str) -> Callable[[], dict[str, Any]]:
    return lambda: extract(provider)


EXTRACTORS: Mapping[str, Callable[[], dict[str, Any]]] = {
    name: _extractor(name) for name in _DISTRIBUTIONS
}


def _class(name: str) -> Any:
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)


def _walk(kind: Any, name: str, messages: dict[str, Any]) -> None:
    if name in messages:
        return
    fields = messages[name] = {}
    for field, hint in _hints(kind).items():
        if field.startswith("_") or field in ("model_config", "model_fields", "is_error"):
            continue
        described = _field(hint, name.rpartition(".")[0], messages, opaque=field in _OPAQUE)
        wire = _wire(kind, field)
        fields[field] = described | ({"wire": wire} if wire else {})
    for other in _TOGETHER.get(kind.__name__, ()):
        _add(fields, f"{name.rpartition('.')[0]}.{other}", messages)


def _add(fields: dict[str, Any], name: str, messages: dict[str, Any]) -> None:
    """Add the fields of another member of a union; those that some member lacks are optional."""
    others: dict[str, Any] = {}
    _walk(_class(name), name, others)
    added = others.pop(name)
    messages.update({each: others[each] for each in others if each not in messages})
    for field in fields.keys() ^ added.keys():
        fields[field] = {**(fields.get(field) or added[field]), "optional": True}


def _wire(kind: Any, field: str) -> str | None:
    """The name of a field in JSON, where the class says another than the attribute's."""
    model: Any = getattr(kind, "model_fields", {}).get(field)
    rest = inspect.getattr_static(kind, field, None)
    named = getattr(model, "alias", None) or getattr(rest, "_rest_name_input", None)
    return _WIRE.get((kind.__name__, field)) or named


def _hints(kind: Any) -> dict[str, Any]:
    """The fields of a class with their types: a pydantic model's, else its hints."""
    fields = getattr(kind, "model_fields", None)
    if fields is not None:
        return {name: field.annotation for name, field in fields.items()}
    package = sys.modules[kind.__module__.rpartition(".")[0]]
    models = types.SimpleNamespace(**{**vars(package), **vars(sys.modules[kind.__module__])})
    return get_type_hints(kind, localns={"_models": models})


def _field(hint: Any, package: str, messages: dict[str, Any], *, opaque: bool) -> dict[str, Any]:
    hint = _one(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (list, tuple):
        return {"type": _type(inner[0], package, messages, opaque=opaque), "repeated": True}
    if origin is dict:
        return {"type": _type(inner[1], package, messages, opaque=opaque), "map": "string"}
    return {"type": _type(hint, package, messages, opaque=opaque)}


def _type(hint: Any, package: str, messages: dict[str, Any], *, opaque: bool) -> str:
    hint = _one(hint)
    if not inspect.isclass(hint):
        return "string" if _is_literal(hint) else "any"
    if hint in _SCALARS:
        return _SCALARS[hint]
    if issubclass(hint, enum.Enum):
        return "string"
    if opaque or not getattr(hint, "__annotations__", None):
        return "any"
    _walk(hint, f"{package}.{hint.__name__}", messages)
    return f"{package}.{hint.__name__}"


def _one(hint: Any) -> Any:
    """Of an optional type the type; of a union its first class that has fields."""
    if get_origin(hint) is Annotated:
        return _one(get_args(hint)[0])
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    members = [_one(member) for member in get_args(hint) if member is not type(None)]
    classes = [each for each in members if inspect.isclass(each) and each not in _SCALARS]
    lists = [each for each in members if get_origin(each) is list]
    return next(iter([*lists, *classes, *members]))


def _is_literal(hint: Any) -> bool:
    return bool(get_args(hint)) and all(isinstance(each, str) for each in get_args(hint))
