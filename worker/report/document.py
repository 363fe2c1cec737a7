"""The report as a document: what its schema, which is shipped, says of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

_SCHEMA = Path(__file__).parent / "schema.json"


@cache
def validator() -> Draft202012Validator:
    """The validator of reports."""
    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))
