"""From a file's bytes to the text that Python would read."""

from __future__ import annotations

import io
import tokenize

from worker.changes.notebooks import NotANotebookError, notebook_code

MAX_BYTES = 1_000_000
NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyw", NOTEBOOK)

_COSTLY_CODECS = frozenset({"idna", "punycode", "undefined"})


class UnreadableError(ValueError):
    """The bytes are no text that Python 3 reads; the message says why."""


def is_code(path: str) -> bool:
    """Whether a file holds Python code, by its name."""
    return path.lower().endswith(SUFFIXES)


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook, by its name."""
    return path.lower().endswith(NOTEBOOK)


def text_of(path: str, content: bytes) -> str:
    """The text of a code file; of a notebook, the text of its code cells.

    Decoded as Python does: by the byte order mark (which is dropped) or the
    coding cookie, else as UTF-8.  Line ends are kept.  Raises
    ``UnreadableError``.
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
    """How many lines Python counts in a text."""
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
