"""Fit answers to the JSON Schema that a question to a language model carries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Dict, Optional

from ..protocol.api_calls import ApiRequest
from .answer_models.answer_model import MutationParameters

_PLACES = (("response_format", "json_schema", "schema"), ("text", "format", "schema"))
_DEEPEST = 6


def shaped(knobs: MutationParameters, request: ApiRequest) -> MutationParameters:
    """Write a text as JSON of the question's schema, in every place that lets it; else as it is."""
    if type(knobs) is not str:
        return knobs
    schema = _schema(request.parameters)
    if schema is None or _is_object(knobs):
        return knobs
    return json.dumps(_instance(schema, knobs, schema, 0))


def _schema(parameters: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    for place in _PLACES:
        found: Any = parameters
        for name in place:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping):
            return found
    return None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _instance(schema: Any, text: str, root: Mapping[str, Any], depth: int) -> Any:
    inner = _inner(schema, root) if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    if inner is not None:
        return _instance(inner, text, root, depth + 1)
    fixed = [schema["const"]] if "const" in schema else schema.get("enum")
    if fixed:
        return text if text in fixed else fixed[-1]
    if schema.get("type") == "object":
        fields: Dict[str, Any] = schema.get("properties") or {}
        return {name: _instance(each, text, root, depth + 1) for name, each in fields.items()}
    if schema.get("type") == "array":
        return [_instance(schema.get("items"), text, root, depth + 1)] if text else []
    return _leaf(schema.get("type"), text)


def _inner(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The schema that another one stands for, if it does: by reference, or as its first choice."""
    if "$ref" in schema:
        found: Any = root
        for name in filter(None, str(schema["$ref"]).lstrip("#/").split("/")):
            found = found.get(name) if isinstance(found, Mapping) else None
        return found
    choices = [each for each in schema.get("anyOf") or () if each.get("type") != "null"]
    return choices[0] if choices else None


def _leaf(kind: Any, text: str) -> Any:
    if kind in ("number", "integer"):
        try:
            number = float(text)
        except ValueError:
            number = 1.0
        return int(number) if kind == "integer" else number
    return bool(text) if kind == "boolean" else text
