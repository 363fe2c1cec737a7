"""Credentials are named in settings, never written there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from worker.errors import UsageError


@dataclass(frozen=True, slots=True)
class Reference:
    """``env:NAME`` or ``file:PATH``: where a secret is, not what it is."""

    text: str

    def __post_init__(self) -> None:
        """Refuse anything else, without repeating it."""
        kind, separator, place = self.text.partition(":")
        if kind not in {"env", "file"} or not separator or not place.strip():
            raise ValueError(
                "a credential is a reference, never the value: put the value into an"
                " environment variable and write `env:NAME`, or into a file and write"
                " `file:PATH`"
            )

    def read(self) -> str:
        """The secret, without white space at its end; ``UsageError`` if there is none."""
        kind, _, place = self.text.partition(":")
        if kind == "env":
            secret = os.environ.get(place, "")
        else:
            try:
                secret = Path(place).expanduser().read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"the credential {self.text} cannot be read") from error
        if not secret.strip():
            raise UsageError(f"the credential {self.text} is empty or not set")
        return secret.strip()

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
