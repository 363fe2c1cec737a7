"""From a file's bytes to the text that Python would read."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from functools import lru_cache
from typing import Any

from analyzers.guest.runtime.notebook_source import code_of

_PYTHON = frozenset({"python", "python2", "python3", "ipython"})


class NotANotebookError(ValueError):
    """The text is not a notebook with Python code; the message says why."""


def notebook_code(text: str) -> str:
    """Return the Python text of a notebook's code cells; raise ``NotANotebookError``."""
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


MAX_BYTES = 1_000_000
NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyw", NOTEBOOK)

_COSTLY_CODECS = frozenset({"idna", "punycode", "undefined"})


class UnreadableError(ValueError):
    """The bytes are no text that Python 3 reads; the message says why."""


def is_code(path: str) -> bool:
    """Return whether a file holds Python code, by its name."""
    return path.lower().endswith(SUFFIXES)


def is_notebook(path: str) -> bool:
    """Return whether a file is a notebook, by its name."""
    return path.lower().endswith(NOTEBOOK)


def text_of(path: str, content: bytes) -> str:
    """Return the text of a code file or notebook, decoded as Python does; keep line ends.

    Raises ``UnreadableError``.
    """
    if is_notebook(path):
        return _notebook(content)
    if b"\0" in content:
        raise UnreadableError("it is a binary file")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        if encoding.replace("_", "-").lower() in _COSTLY_CODECS:
            raise UnreadableError(f"nobody writes Python in {encoding}")
        return content.decode(encoding)
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise UnreadableError(f"it cannot be decoded ({error})") from error


def canonical(text: str) -> bytes:
    """The text as UTF-8 with the line ends that git counts, for a difference."""
    return _lines(text).encode("utf-8", "surrogatepass")


def line_count(text: str) -> int:
    """Return how many lines Python counts in a text."""
    lines = _lines(text)
    return lines.count("\n") + (bool(lines) and not lines.endswith("\n"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook(content: bytes) -> str:
    try:
        return notebook_code(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableError("the notebook is not UTF-8") from error
    except NotANotebookError as error:
        raise UnreadableError(str(error)) from error


@lru_cache(maxsize=256)
def has_function(source: str, qualified: str, *, inherited: bool = False) -> bool:
    """Return whether a text defines a function or class; never, where it cannot be parsed.

    ``inherited``: a class with bases may have any method.
    """
    if qualified in {"<module>", "__main__"}:
        return bool(source)
    try:
        tree: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    for name in qualified.split("."):
        if name == "<locals>":
            continue
        found: dict[str, ast.AST] = {}
        stack = list(ast.iter_child_nodes(tree))
        while stack:
            node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[node.name] = node
            else:
                stack += ast.iter_child_nodes(node)
        inner = found.get(name)
        if inner is None:
            return inherited and isinstance(tree, ast.ClassDef) and bool(tree.bases)
        tree = inner
    return True
