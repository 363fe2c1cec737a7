"""Jupyter notebooks, checked before their code is taken out."""

from __future__ import annotations

import json
from typing import Any

from analyzers.guest.notebooks import code_of

_PYTHON = frozenset({"python", "python2", "python3", "ipython"})


class NotANotebookError(ValueError):
    """The text is not a notebook with Python code; the message says why."""


def notebook_code(text: str) -> str:
    """The Python text of a notebook's code cells, as the guest reads it.

    Raises ``NotANotebookError``.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotANotebookError(f"the notebook is not JSON ({error})") from error
    if not isinstance(notebook, dict):
        raise NotANotebookError("the notebook is not a JSON object")
    language = _language(notebook)
    if language.lower() not in _PYTHON:
        raise NotANotebookError(f"the notebook is written in {language}")
    try:
        return code_of(text)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise NotANotebookError(f"the notebook's cells cannot be read ({error})") from error


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return "python"
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(section)
        name = found.get(key) if isinstance(found, dict) else None
        if isinstance(name, str):
            return name
    return "python"
