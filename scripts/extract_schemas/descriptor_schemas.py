"""Extracts response schemas from the installed SDKs.

``python -m scripts.extract_schemas.descriptor_schemas`` writes ``schemas/*.json``::

    {"sdk": "google-cloud-vision 3.16.0",
     "messages": {full name: {field: {"type", "repeated"?, "map"?}}},
     "enums": {full name: {member: number}}}

A field's ``type`` is a scalar's name (``string``, ``bytes``, ``bool``,
``float``, ``double``, ``int32``, …) or the full name of a message or enum;
``map`` is the scalar type of the keys of a map; ``wire`` is the field's name
in the provider's JSON where that is no camel case of its own.  Field names
are the SDK's (a descriptor's: snake case, ``type_``).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scripts.extract_schemas import botocore_schemas, type_hint_schemas

SCHEMAS = Path(__file__).parents[2] / "analyzers" / "catalogue" / "schemas"
_LANGUAGE = (
    "AnalyzeSentimentRequest",
    "AnalyzeSentimentResponse",
    "AnalyzeEntitiesRequest",
    "AnalyzeEntitiesResponse",
    "ClassifyTextRequest",
    "ClassifyTextResponse",
    "AnnotateTextRequest",
    "AnnotateTextResponse",
    "ModerateTextRequest",
    "ModerateTextResponse",
)
_LANGUAGE_V1 = (
    *_LANGUAGE,
    "AnalyzeEntitySentimentRequest",
    "AnalyzeEntitySentimentResponse",
    "AnalyzeSyntaxRequest",
    "AnalyzeSyntaxResponse",
)
_SPEECH = (
    "RecognizeRequest",
    "RecognizeResponse",
    "StreamingRecognizeRequest",
    "StreamingRecognizeResponse",
)
_SPEECH_V1 = (*_SPEECH, "LongRunningRecognizeRequest", "LongRunningRecognizeResponse")
_SPEECH_V2 = (*_SPEECH, "BatchRecognizeRequest", "BatchRecognizeResponse")
ROOTS: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "google_vision": (
        "google-cloud-vision",
        {
            "google.cloud.vision_v1": (
                "BatchAnnotateImagesRequest",
                "BatchAnnotateImagesResponse",
            )
        },
    ),
    "google_language": (
        "google-cloud-language",
        {
            "google.cloud.language_v1": _LANGUAGE_V1,
            "google.cloud.language_v1beta2": _LANGUAGE_V1,
            "google.cloud.language_v2": _LANGUAGE,
        },
    ),
    "google_speech": (
        "google-cloud-speech",
        {
            "google.cloud.speech_v1": _SPEECH_V1,
            "google.cloud.speech_v1p1beta1": _SPEECH_V1,
            "google.cloud.speech_v2": _SPEECH_V2,
        },
    ),
}


OTHERS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "aws": botocore_schemas.extract,
    **type_hint_schemas.EXTRACTORS,
}
NAMES = (*ROOTS, *OTHERS)


def extract(name: str) -> dict[str, Any]:
    """The schema ``name`` (one of ``NAMES``), from the installed SDK."""
    if name in OTHERS:
        return OTHERS[name]()
    distribution, roots = ROOTS[name]
    messages: dict[str, Any] = {}
    enums: dict[str, Any] = {}
    for module, classes in roots.items():
        for kind in classes:
            message = getattr(importlib.import_module(module), kind)
            _walk(message.pb(message()).DESCRIPTOR, messages, enums)
    return {
        "sdk": f"{distribution} {version(distribution)}",
        "messages": dict(sorted(messages.items())),
        "enums": dict(sorted(enums.items())),
    }


def _walk(message: Any, messages: dict[str, Any], enums: dict[str, Any]) -> None:
    if message.full_name in messages:
        return
    fields = messages[message.full_name] = {}
    for field in message.fields:
        fields[field.name] = _field(field)
        _reach(_value(field), messages, enums)


def _field(field: Any) -> dict[str, Any]:
    described: dict[str, Any] = {"type": _type(_value(field))}
    if _is_map(field):
        described["map"] = _type(field.message_type.fields_by_name["key"])
    elif field.is_repeated:
        described["repeated"] = True
    return described


def _reach(field: Any, messages: dict[str, Any], enums: dict[str, Any]) -> None:
    if field.message_type is not None:
        _walk(field.message_type, messages, enums)
    elif field.enum_type is not None:
        members = {value.name: value.number for value in field.enum_type.values}
        enums[field.enum_type.full_name] = members


def _is_map(field: Any) -> bool:
    kind = field.message_type
    return kind is not None and bool(kind.GetOptions().map_entry)


def _value(field: Any) -> Any:
    """The field that holds the value: of a map the entry's, else itself."""
    return field.message_type.fields_by_name["value"] if _is_map(field) else field


def _type(field: Any) -> str:
    if field.message_type is not None:
        return str(field.message_type.full_name)
    if field.enum_type is not None:
        return str(field.enum_type.full_name)
    return _SCALARS[field.type]


_SCALARS = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64",
    7: "fixed32", 8: "bool", 9: "string", 12: "bytes", 13: "uint32", 15: "sfixed32",
    16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip


def main() -> None:
    """Write every schema beside this file."""
    for name in NAMES:
        text = json.dumps(extract(name), indent=1, sort_keys=True)
        (SCHEMAS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
