"""Credentials that are found, whatever files and services are not here."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..standins import Inert, InertModule

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
