"""Text of a table of layers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from analyzers.assembly.layer_tables import SCHEMA
from analyzers.vocabulary import JsonObject


def written(version: str, layers: Sequence[JsonObject]) -> str:
    """Return the text of a file: sorted by name, a parameter a line."""
    ordered = sorted(layers, key=lambda row: str(row["name"]))
    body = ",\n".join(map(_written, ordered))
    head = f'"schema": "{SCHEMA}", "library": "torch", "version": {json.dumps(version)}'
    return f'{{{head}, "layers": [\n{body}\n]}}\n'


def _written(row: JsonObject) -> str:
    parameters: Any = row["parameters"]
    fields = {name: value for name, value in row.items() if name != "parameters"}
    told = [f"{_dumped(name)}: {_dumped(value)}" for name, value in fields.items()]
    lines = ",\n    ".join(map(_dumped, parameters))
    listed = f"[\n    {lines}]" if lines else "[]"
    return "  {" + ",\n   ".join([*told, f'"parameters": {listed}']) + "}"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
