"""Generation of Google's SDKs that a project is written for."""

from __future__ import annotations

import functools
import os
import re
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List, Mapping

from ..runtime.call_outcomes import is_own
from ..runtime.standins import Inert, InertModule
from .client_rules import ClientProject, ClientRule, patch_clients
from .google import Google
from .google_discovery import Discovery
from .google_errors import exceptions_module
from .google_sdk import GoogleSdk
from .google_standins import MODULES, GoogleStandins, json_format_module, patch_json_format
from .schema_messages import Schema

_OLD = re.compile(
    r"\b(?:vision|language|speech)(?:_v1)?(?:\.gapic)? import[^\n#]*\b(?:types|enums)\b"
    r"|\b(?:vision|language|speech)\w*\.(?:types|enums)\b"
    r"|\b(?:vision|language|speech)\.Client\("
    r"|\bdocument_from_(?:text|html|url)\("
)
_SERVICES = ("vision", "language", "speech")
_SERVICE = re.compile(r"google\.cloud\.([a-z]+)")


class Generations:
    """Tells the generation of each SDK by ``texts``, else by the project's files."""

    def __init__(self, root: str, texts: Mapping[str, str]) -> None:
        self._old: Dict[str, bool] = {}
        others: List[str] = []
        for service in _SERVICES:
            imported = re.compile(rf"google[\w.]*\b[^\n]*\b{service}")
            telling = [text for text in texts.values() if imported.search(text)]
            if not telling:
                others = others or google_texts(root)
                telling = [text for text in others if imported.search(text)]
            self._old[service] = any(_OLD.search(text) for text in telling)

    def is_old(self, name: str) -> bool:
        """Return whether a module is asked for as it was before proto-plus."""
        match = _SERVICE.match(name)
        if match is None or match.group(1) not in self._old:
            return False
        return self._old[match.group(1)] or _is_installed_old(match.group(1))


@functools.cache
def _is_installed_old(service: str) -> bool:
    try:
        return int(metadata.version(f"google-cloud-{service}").partition(".")[0]) < 2
    except (metadata.PackageNotFoundError, ValueError, TypeError):
        return False


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


_FINDERS = ("default", "load_credentials_from_file", "load_credentials_from_dict")
_MAKERS = (
    "from_service_account_file",
    "from_service_account_info",
    "from_authorized_user_file",
    "from_authorized_user_info",
    "from_json_keyfile_name",
    "from_json_keyfile_dict",
    "from_p12_keyfile",
    "from_stream",
    "get_application_default",
)


def patch_auth(module: ModuleType) -> None:
    """Let ``google.auth`` find credentials."""
    for name in _FINDERS:
        if hasattr(module, name):
            setattr(module, name, _found)


def auth_module(name: str) -> InertModule:
    """A stand-in for ``google.auth``."""
    module = InertModule(name)
    vars(module)["default"] = _found
    return module


def patch_credentials(module: ModuleType) -> None:
    """Let the credentials of a module be read from files that are not here."""
    for kind in [value for value in vars(module).values() if isinstance(value, type)]:
        if kind.__module__ == module.__name__:
            for maker in _MAKERS:
                if hasattr(kind, maker):
                    setattr(kind, maker, staticmethod(_credentials))


def _found(*_: Any, **__: Any) -> Any:
    return Inert("credentials"), "project"


def _credentials(*_: Any, **__: Any) -> Any:
    return Inert("credentials")


_OTHER_CLOUD = (
    r"google\.cloud\.(storage|firestore|bigquery|pubsub|pubsub_v1|datastore|secretmanager"
    r"|logging|tasks|tasks_v2|texttospeech|translate|translate_v2)"
)
_CREDENTIALS = (
    r"google\.oauth2\.(service_account|credentials)|oauth2client\.(service_account|client)"
)


def google_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules of Google's SDKs."""
    google = Google(project.entries, project.schema)
    generations = Generations(project.root, project.texts)
    made: Dict[bool, GoogleStandins] = {False: GoogleStandins(google, project.schema)}

    def standin(name: str) -> InertModule:
        plain = generations.is_old(name)
        if plain not in made:
            made[plain] = GoogleStandins(google, Schema(project.schemas, plain=plain))
        return made[plain].module(name)

    sdk = GoogleSdk(google, made[False])
    project.warmers.append(sdk.warm)
    discovery = Discovery(google)
    return [
        ClientRule(r"google\.cloud\.(vision|language|speech)_v\w+", patch=sdk.patch),
        ClientRule(MODULES, standin=standin, instead=generations.is_old),
        ClientRule(_OTHER_CLOUD, patch=patch_clients),
        ClientRule(r"google\.auth", patch_auth, auth_module),
        ClientRule(_CREDENTIALS, patch=patch_credentials),
        ClientRule(r"google\.api_core\.exceptions", standin=exceptions_module),
        ClientRule(r"google\.(cloud|protobuf|api_core)", standin=InertModule),
        ClientRule(
            r"google\.protobuf\.json_format", patch=patch_json_format, standin=json_format_module
        ),
        ClientRule(r"googleapiclient\.discovery", discovery.patch, discovery.module),
        ClientRule(r"apiclient\.discovery", standin=discovery.module),
    ]
