"""Which modules are patched when they are imported, and which are stood in for."""

from __future__ import annotations

import importlib
import os
import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import standins
from .clients import google_sdk
from .clients.google import Google
from .clients.google_standins import (
    NAMES,
    Standins,
    json_format_module,
    patch_json_format,
)
from .clients.rest import Rest
from .endings import is_own
from .files import patch_cv2
from .messages import Schema

Patch = Callable[[ModuleType], None]
Maker = Callable[[str], ModuleType]
_VISION = re.compile(r"google\.cloud\.vision_v1(p\d+beta\d+)?$")
_LANGUAGE = re.compile(r"google\.cloud\.language_v\w+$")
_OTHER_CLOUD = re.compile(
    r"google\.cloud\.(storage|firestore|bigquery|pubsub|pubsub_v1|datastore|secretmanager"
    r"|logging|tasks|tasks_v2|speech|texttospeech|translate|translate_v2)$"
)
_OLD = re.compile(
    r"\b(?:vision|language)(?:_v1)?(?:\.gapic)? import[^\n#]*\b(?:types|enums)\b"
    r"|\b(?:vision|language)\w*\.(?:types|enums)\b"
    r"|\b(?:vision|language)\.Client\("
    r"|\bdocument_from_(?:text|html|url)\("
)


def _has(root: str, name: str) -> bool:
    """Whether a project has a module of its own of that name."""
    return any(Path(root, *where, name).exists() for where in ((), ("src",))) or any(
        Path(root, *where, f"{name}.py").exists() for where in ((), ("src",))
    )


class Interception:
    """The two finders: one patches and stands in, one catches what is missing."""

    def __init__(
        self,
        root: str,
        entries: Sequence[Mapping[str, Any]],
        schemas: Mapping[str, Any],
        hidden: Sequence[str] = (),
    ) -> None:
        self.schema = Schema(schemas)
        self._google = Google(entries, self.schema)
        self._rest = Rest(self._google)
        self._sdk = google_sdk.Sdk(self._google)
        self._schemas = schemas
        self._root = root
        self._hidden = frozenset(name for name in hidden if not _has(root, name))
        self._old: Dict[str, bool] = {}
        self._made: Dict[bool, Standins] = {}

    def install(self, known: Mapping[str, str]) -> None:
        """Stand before and behind the ordinary imports.

        The sources ``known`` tell which generation of the SDKs the project is
        written for; its other files do where these do not mention the SDK.
        """
        others: List[str] = []
        for service in ("vision", "language"):
            imported = re.compile(rf"google[\w.]*\b[^\n]*\b{service}")
            telling = [text for text in known.values() if imported.search(text)]
            if not telling:
                others = others or google_texts(self._root)
                telling = [text for text in others if imported.search(text)]
            self._old[service] = any(_OLD.search(text) for text in telling)
        standins.InertModule.submodule = staticmethod(self._submodule)
        sys.meta_path.insert(0, _First(self))
        sys.meta_path.append(_Last(self, self._root))
        for name in ("urllib.request", "requests.sessions", "httpx"):
            patch = self.patch(name)
            if name in sys.modules and patch is not None:
                patch(sys.modules[name])
        import urllib.request

        self._rest.patch_urllib(urllib.request)

    def patch(self, name: str) -> Optional[Patch]:
        """What to do to a real module when it has been imported."""
        if _VISION.match(name):
            return self._sdk.vision
        if _LANGUAGE.match(name):
            return self._sdk.language
        if _OTHER_CLOUD.match(name):
            return google_sdk.patch_clients
        return {
            "cv2": patch_cv2,
            "google.protobuf.json_format": patch_json_format,
            "google.auth": google_sdk.patch_auth,
            "google.oauth2.service_account": google_sdk.patch_service_account,
            "requests.sessions": self._rest.patch_requests,
            "httpx": self._rest.patch_httpx,
            "googleapiclient.discovery": self._rest.patch_discovery,
        }.get(name)

    def instead(self, name: str) -> Optional[Maker]:
        """What makes a module that is used even where a real one is installed."""
        if name.partition(".")[0] in self._hidden:
            return standins.InertModule
        match = NAMES.match(name)
        if match is None or not self._old.get(match.group(1)):
            return None
        return self._standins(plain=True).module

    def missing(self, name: str) -> Maker:
        """What makes the stand-in for a module that is not installed."""
        if NAMES.match(name):
            match = NAMES.match(name)
            plain = bool(match and self._old.get(match.group(1)))
            return self._standins(plain=plain).module
        if name in ("googleapiclient.discovery", "apiclient.discovery"):
            return self._rest.discovery_module
        if name == "google.protobuf.json_format":
            return json_format_module
        if name in ("requests", "httpx"):
            return self._rest.requests_module
        return standins.InertModule

    def _standins(self, *, plain: bool) -> Standins:
        if plain not in self._made:
            schema = Schema(self._schemas, plain=plain)
            self._made[plain] = Standins(self._google, schema)
        return self._made[plain]

    def _submodule(self, name: str) -> Optional[ModuleType]:
        """The module that a stand-in package has under a name, if a special one."""
        special = NAMES.match(name) or name in (
            "google.cloud",
            "google.protobuf",
            "google.protobuf.json_format",
            "googleapiclient.discovery",
            "apiclient.discovery",
        )
        return importlib.import_module(name) if special else None


class _First(MetaPathFinder):
    """Before the ordinary imports: patches, and stand-ins for older SDKs."""

    def __init__(self, interception: Interception) -> None:
        self._interception = interception

    def find_spec(
        self,
        fullname: str,
        path: Optional[Sequence[str]],
        target: Optional[ModuleType] = None,
    ) -> Optional[ModuleSpec]:
        """A spec for the modules that concern us."""
        make = self._interception.instead(fullname)
        if make is not None:
            standins.note(fullname)
            return _spec(fullname, make)
        patch = self._interception.patch(fullname)
        if patch is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patching(spec.loader, patch)
        return spec


class _Last(MetaPathFinder):
    """Behind the ordinary imports: what the project imports and is not there."""

    def __init__(self, interception: Interception, root: str) -> None:
        self._interception = interception
        self._root = root

    def find_spec(
        self,
        fullname: str,
        path: Optional[Sequence[str]],
        target: Optional[ModuleType] = None,
    ) -> Optional[ModuleSpec]:
        """A stand-in's spec, where the project itself does the import."""
        del path, target
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if not (isinstance(parent, standins.InertModule) or self._is_asked()):
            return None
        standins.note(fullname)
        return _spec(fullname, self._interception.missing(fullname))

    def _is_asked(self) -> bool:
        """Whether the import stands in the project's own code."""
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<frozen importlib") and name != importlib.__file__:
                return is_own(name, self._root)
            frame = frame.f_back  # type: ignore[assignment]
        return False


def _spec(name: str, make: Maker) -> ModuleSpec:
    spec = ModuleSpec(name, _Making(make), is_package=True)
    spec.submodule_search_locations = []
    return spec


class _Making(Loader):
    def __init__(self, make: Maker) -> None:
        self._make = make

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._make(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


class _Patching(Loader):
    """Another loader, and a patch when it is done."""

    def __init__(self, loader: Any, patch: Patch) -> None:
        self._loader = loader
        self._patch = patch

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        made: Optional[ModuleType] = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._patch(module)


def google_texts(root: str, limit: int = 400) -> List[str]:
    """The texts of the project's files that mention Google, of the first files."""
    found: List[str] = []
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "venv"))]
        for name in files:
            path = Path(folder, name)
            if name.endswith(".py") and is_own(str(path), root):
                seen += 1
                text = _text(path)
                found += [text] if "google" in text else []
            if seen >= limit:
                return found
    return found


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(200_000)
    except OSError:
        return ""
