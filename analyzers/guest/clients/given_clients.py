"""Clients of ML APIs for code that is handed one: as a parameter, an attribute, a fixture."""

from __future__ import annotations

import importlib
import re
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Tuple

Finder = Callable[[str], ModuleType]
_BOTO = re.compile(r"boto3\.client\('([\w-]+)'\)\.(\w+)")
_CLASS = re.compile(r"([a-z_0-9.]+)\.([A-Z]\w*)\.([a-z_.]+)")
_PLAIN = re.compile(r"(openai)()\.((?:chat\.)?\w+\.[a-z]+)")
_CONSTRUCTORS: Mapping[str, Callable[[Any], Any]] = {
    "azure": lambda kind: kind("https://made-up.cognitiveservices.azure.com", _azure_key()),
    "openai": lambda module: module.OpenAI(api_key="made-up"),
}


class GivenClients:
    """The clients of some APIs, made at a first method call; ``missing`` makes an absent SDK."""

    def __init__(self, entries: Iterable[Mapping[str, Any]], missing: Finder) -> None:
        self._missing = missing
        self._known: Dict[str, Tuple[str, str]] = {}
        self._made: Dict[Tuple[str, str], Any] = {}
        for entry in entries:
            for method in entry.get("methods") or ():
                boto = _BOTO.fullmatch(method)
                found = _CLASS.fullmatch(method) or _PLAIN.fullmatch(method)
                if boto is not None:
                    self._known.setdefault(boto[2], ("boto3", boto[1]))
                elif found is not None:
                    self._known.setdefault(found[3], (found[1], found[2]))

    def method(self, name: str) -> Any:
        """Return the bound method that a dotted name ends with, or ``None``; the longest first."""
        fitting = [path for path in self._known if name.endswith(f".{path}")]
        for path in sorted(fitting, key=len, reverse=True):
            owner = self._client(self._known[path])
            for part in path.split(".") if owner is not None else ():
                owner = getattr(owner, part, None)
            if owner is not None:
                return owner
        return None

    def _client(self, kind: Tuple[str, str]) -> Optional[Any]:
        if kind not in self._made:
            try:
                self._made[kind] = _made(self._module(kind[0]), *kind)
            except Exception:
                self._made[kind] = None
        return self._made[kind]

    def _module(self, name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ImportError:
            return self._missing(name)


def _made(module: Any, name: str, kind: str) -> Any:
    if name == "boto3":
        return module.client(kind, region_name="us-east-1")
    construct = _CONSTRUCTORS.get(name.partition(".")[0], lambda each: each())
    return construct(getattr(module, kind) if kind else module)


def _azure_key() -> Any:
    return importlib.import_module("azure.core.credentials").AzureKeyCredential("made-up")
