"""Fit answers to what a question to a language model asks for: a schema, JSON, a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Sequence

from ..protocol.api_calls import ApiRequest
from .answer_models.answer_model import MutationParameters
from .answer_models.chat_answers import CALLED, CUT, REFUSED, text_of

_PLACES = (
    ("response_format", "json_schema", "schema"),
    ("response_format", "schema"),
    ("text", "format", "schema"),
    ("output_config", "format", "schema"),
    ("output_format", "schema"),
    ("response_schema",),
    ("response_json_schema",),
    ("text_format", "structure", "jsonSchema", "schema"),
)
_DEEPEST = 6
_MOST_BRACES = 50


def shaped(
    knobs: MutationParameters,
    request: ApiRequest,
    keys: Sequence[str] = (),
    *,
    is_obedient: bool = False,
) -> MutationParameters:
    """Return the knobs of a legal answer to a request; as they are where it is no chat.

    A text becomes JSON where the request insists on it: of the schema, its texts in every
    place that lets them, else with ``keys``.  Where it ``is_obedient``, a schema that is put in
    words counts, too.  A turn ends otherwise than with a text only where the request allows that:
    tools are there, a schema may be refused, tokens are limited.
    """
    if type(knobs) is not str and not _is_turn(knobs):
        return knobs
    ending = knobs[0] if isinstance(knobs, tuple) else ""
    tool = _tool(request.parameters, wanted=ending == CALLED)
    if tool is not None:
        return CALLED, str(tool.get("name")), _arguments(tool, text_of(knobs))
    schema = _schema(request.parameters)
    wanted = _written_schema(request) if _is_json_mode(request.parameters) or is_obedient else None
    text = _formatted(text_of(knobs), request.parameters, schema or wanted, keys)
    if ending == REFUSED and schema is not None:
        return REFUSED, text_of(knobs)
    if ending == CUT and has_limit(request):
        whole = text[:1] in ("{", "[") and not has_short_limit(request)
        return CUT, text if whole else text[: len(text) // 2]
    return text


_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def has_limit(request: ApiRequest) -> bool:
    """Return whether a request limits the tokens of its answer."""
    return _limit(request) is not None


_SHORT = 1000
"""Tokens; a longer limit seldom ends an answer, and is often none that the code chose."""


def has_short_limit(request: ApiRequest) -> bool:
    """Return whether a request limits its answer to so few tokens that JSON may be cut."""
    limit = _limit(request)
    return limit is not None and limit < _SHORT


def _limit(request: ApiRequest) -> Optional[int]:
    given = (request.parameters.get(name) for name in _LIMITS)
    return next((int(each) for each in given if isinstance(each, (int, float)) and each), None)


def asks_for_json(request: ApiRequest) -> bool:
    """Return whether a request wants JSON: by its format, or in words."""
    return has_schema(request) or "json" in str(request.text or "").casefold()


def has_schema(request: ApiRequest) -> bool:
    """Return whether a request insists on a schema, or on JSON."""
    return _schema(request.parameters) is not None or _is_json_mode(request.parameters)


def _written_schema(request: ApiRequest) -> Optional[Mapping[str, Any]]:
    """Return the schema of an object that stands in the text of a request, if one does."""
    text = request.text if isinstance(request.text, str) else ""
    starts = [found.start() for found in re.finditer(r"\{", text)] if "properties" in text else []
    for start in starts[:_MOST_BRACES]:
        try:
            found, _ = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get("properties"), dict):
            return found
    return None


def may_refuse(request: ApiRequest) -> bool:
    """Return whether a request has a schema, so that a refusal has a field of its own."""
    return _schema(request.parameters) is not None


def is_strict(request: ApiRequest) -> bool:
    """Return whether the arguments of tools are sure to fit their schema."""
    given: Any = request.parameters.get("tools") or ()
    tools = [tool for each in given if isinstance(each, Mapping) for tool in _functions(each)]
    return any(tool.get("strict") is True for tool in tools)


def _is_turn(knobs: Any) -> bool:
    return isinstance(knobs, tuple) and bool(knobs) and knobs[0] in (CALLED, REFUSED, CUT)


def _formatted(text: str, parameters: Mapping[str, Any], schema: Any, keys: Sequence[str]) -> str:
    if schema is not None:
        return text if _has_all(schema, text) else json.dumps(_instance(schema, text, schema, 0))
    if _is_json_mode(parameters) and not _is_object(text):
        return json.dumps(dict.fromkeys(keys or ("answer",), text))
    return text


def _is_json_mode(parameters: Mapping[str, Any]) -> bool:
    asked = parameters.get("response_format")
    if parameters.get("response_mime_type") == "application/json":
        return True
    return isinstance(asked, Mapping) and asked.get("type") == "json_object"


def _tool(parameters: Mapping[str, Any], *, wanted: bool) -> Optional[Mapping[str, Any]]:
    """Return the function that an answer calls: one that is forced, or any where it may."""
    given: Any = parameters.get("tools") or parameters.get("functions") or ()
    tools = [tool for each in given if isinstance(each, Mapping) for tool in _functions(each)]
    choice: Any = parameters.get("tool_choice") or parameters.get("function_call")
    if isinstance(choice, Mapping):
        kind = choice.get("type") or next(iter(choice), None)
        choice = _CHOICES.get(str(kind), choice)
    if isinstance(choice, Mapping):
        named = (choice.get("function") or choice.get("tool") or choice).get("name")
        return next((tool for tool in tools if tool.get("name") == named), None)
    forced = choice == "required" or (wanted and choice != "none")
    return tools[0] if tools and forced else None


_CHOICES = {"any": "required", "auto": "auto", "none": "none"}


def _functions(tool: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    declared: Any = tool.get("functionDeclarations") or tool.get("function_declarations")
    return list(declared) if declared else [tool.get("function") or tool.get("toolSpec") or tool]


def _arguments(tool: Mapping[str, Any], text: str) -> str:
    given = (tool.get(name) for name in ("parameters", "input_schema", "inputSchema"))
    schema: Any = next(filter(None, given), {"type": "object"})
    schema = schema.get("json", schema)
    if _has_all(schema, text):
        return text
    return json.dumps(_instance(schema, text, schema, 0))


def _schema(parameters: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    for place in _PLACES:
        found: Any = parameters
        for name in place:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, str) and _is_object(found):
            found = json.loads(found)
        if isinstance(found, Mapping):
            return found
    return None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _has_all(schema: Any, text: str) -> bool:
    """Return whether a text is an object with every property of a schema."""
    found: Any = json.loads(text) if _is_object(text) else None
    properties: Any = schema.get("properties") or {} if isinstance(schema, Mapping) else {}
    return found is not None and set(properties) <= set(found)


def _instance(schema: Any, text: str, root: Mapping[str, Any], depth: int) -> Any:
    inner = _inner(schema, root) if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    if inner is not None:
        return _instance(inner, text, root, depth + 1)
    fixed = [schema["const"]] if "const" in schema else schema.get("enum")
    if fixed:
        return text if text in fixed else fixed[-1]
    kind = str(schema.get("type") or "").lower()
    if kind == "object":
        fields: Dict[str, Any] = schema.get("properties") or {}
        return {name: _instance(each, text, root, depth + 1) for name, each in fields.items()}
    if kind == "array":
        return [_instance(schema.get("items"), text, root, depth + 1)] if text else []
    return _leaf(kind, text)


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
