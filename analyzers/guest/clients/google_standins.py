"""Stand-ins for Google's SDKs, of all three generations, made from the schema."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any, Dict

from ..message import Message, in_json
from ..messages import Schema, nested
from ..standins import Inert, InertModule
from .google import Google
from .google_clients import language_clients, vision_clients
from .google_speech_clients import speech_clients

MODULES = r"google\.cloud\.(vision|language|speech)(?:_(v\w+))?(\.\w+)*"
_SPACES = ("types", "enums", "gapic", "services", "client")


class GoogleModule(InertModule):
    """A module of the SDK: its names are the schema's, and the clients."""

    def __init__(self, name: str, names: Dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__["_names"] = names

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", {})
        if name in names:
            return names[name]
        if name in _SPACES:
            return importlib.import_module(f"{self.__name__}.{name}")
        return super().__getattr__(name)


class Standins:
    """Makes the modules; ``plain`` ones have bare integers for enums."""

    def __init__(self, google: Google, schema: Schema) -> None:
        self._google = google
        self._schema = schema
        self._names: Dict[str, Dict[str, Any]] = {}

    def module(self, name: str) -> GoogleModule:
        """The stand-in for a module whose name fits ``MODULES``."""
        match = re.fullmatch(MODULES, name)
        service, version = match.groups()[:2] if match else ("vision", None)
        return GoogleModule(name, self.names(f"google.cloud.{service}.{version or 'v1'}"))

    def names(self, package: str) -> Dict[str, Any]:
        """The messages, enums and clients of a protobuf package, or of its version ``v1``."""
        if not any(full.startswith(package + ".") for full in self._schema.messages):
            package = package.rpartition(".")[0] + ".v1"
        if package not in self._names:
            pairs = nested(self._schema, package)
            names = {short: self._schema.kind(full) for short, full in pairs}
            shared = {"google": self._google, "schema": self._schema, "package": package}
            names.update(_CLIENTS[package.split(".")[2]](shared))
            self._names[package] = names
        return self._names[package]


_CLIENTS = {"vision": vision_clients, "language": language_clients, "speech": speech_clients}


def patch_json_format(module: Any) -> None:
    """Let ``google.protobuf.json_format`` know the stand-ins' messages."""
    original = vars(module).get("MessageToDict")

    def to_dict(message: Any, *args: Any, **options: Any) -> Any:
        if isinstance(message, Message):
            preserving = bool(options.get("preserving_proto_field_name"))
            return in_json(message, preserving=preserving)
        return Inert("message") if original is None else original(message, *args, **options)

    def to_json(message: Any, *args: Any, **options: Any) -> str:
        indent = options.pop("indent", 2)
        return json.dumps(to_dict(message, *args, **options), indent=indent)

    vars(module).update(MessageToDict=to_dict, MessageToJson=to_json)


def json_format_module(name: str) -> InertModule:
    """A stand-in for ``google.protobuf.json_format``."""
    module = InertModule(name)
    patch_json_format(module)
    return module
