"""Extracts the responses of the described AWS operations from botocore's service models."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from botocore.model import ServiceModel
from botocore.session import get_session

from analyzers.catalogue import load_catalogue

_SCALARS = {
    "string": "string", "character": "string", "blob": "bytes", "boolean": "bool",
    "float": "float", "double": "double", "integer": "int32", "long": "int64",
    "timestamp": "timestamp",
}  # fmt: skip


def extract() -> dict[str, Any]:
    """The schema of every response that the catalogue names, from the installed botocore.

    Enums are strings here, as the SDK hands them out.
    """
    loader = get_session().get_component("data_loader")
    messages: dict[str, Any] = {}
    for service, operations in _described().items():
        model = _model(loader, service)
        names = {name.lower(): name for name in model.operation_names}
        for operation in operations:
            shape = model.operation_model(names[operation.replace("_", "")]).output_shape
            _walk(service, shape, messages)
    return {"sdk": f"botocore {version('botocore')}", "messages": messages, "enums": {}}


def _described() -> dict[str, list[str]]:
    """The operations of the catalogue by service."""
    found: dict[str, list[str]] = {}
    for name in load_catalogue().apis:
        provider, service, *operation = name.split(".")
        if provider == "aws":
            found.setdefault(service, []).append(operation[0])
    return found


def _model(loader: Any, service: str) -> Any:
    return ServiceModel(loader.load_service_model(service, "service-2"), service)


def _walk(service: str, shape: Any, messages: dict[str, Any]) -> None:
    name = f"{service}.{shape.name}"
    if name in messages:
        return
    fields = messages[name] = {}
    for member, kind in shape.members.items():
        fields[member] = _field(service, kind)
        inner = _value(kind)
        if _is_message(inner):
            _walk(service, inner, messages)


def _field(service: str, shape: Any) -> dict[str, Any]:
    inner = _value(shape)
    name = f"{service}.{inner.name}" if _is_message(inner) else ""
    described: dict[str, Any] = {"type": name or _SCALARS.get(inner.type_name, "any")}
    if shape.type_name == "map":
        described["map"] = "string"
    elif shape.type_name == "list":
        described["repeated"] = True
    return described


def _is_message(shape: Any) -> bool:
    """Return whether a shape has fields of its own; a document is any JSON."""
    return shape.type_name == "structure" and not shape.is_document_type


def _value(shape: Any) -> Any:
    """The shape that holds the value: of a list or a map its elements', else itself."""
    if shape.type_name == "list":
        return shape.member
    return shape.value if shape.type_name == "map" else shape
