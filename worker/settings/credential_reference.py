"""Credentials are named in settings, never written there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from worker.errors import UsageError

KINDS = frozenset({"env", "file", "credential"})
MOST_BYTES = 65_536
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a secret: its location, never its value.

    The last is a file in ``$CREDENTIALS_DIRECTORY``, where systemd and secret managers put it.
    """

    text: str

    def __post_init__(self) -> None:
        """Refuse anything else, without repeating it."""
        kind, separator, place = self.text.partition(":")
        named = kind != "credential" or _NAME.fullmatch(place)
        if kind not in KINDS or not separator or not place.strip() or not named:
            raise ValueError(
                "a credential is a reference, never the value: put the value into an"
                " environment variable and write `env:NAME`, into a file and write"
                " `file:PATH`, or into a secret of the service and write `credential:NAME`"
            )

    def read(self) -> str:
        """Return the secret, without white space at its end; ``UsageError`` if there is none."""
        kind, _, place = self.text.partition(":")
        secret = os.environ.get(place, "") if kind == "env" else self._of_file(kind, place)
        if not secret.strip():
            raise UsageError(f"the credential {self.text} is empty or not set")
        return secret.strip()

    def _of_file(self, kind: str, place: str) -> str:
        folder = os.environ.get("CREDENTIALS_DIRECTORY", "")
        if kind == "credential" and not folder:
            raise UsageError(f"the credential {self.text} needs CREDENTIALS_DIRECTORY to be set")
        file = Path(folder, place) if kind == "credential" else Path(place).expanduser()
        try:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            # from None: the error may hold the bytes that it could not read
            raise UsageError(f"the credential {self.text} cannot be read") from None

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """A string in settings."""
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.str_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda reference: reference.text
            ),
        )
