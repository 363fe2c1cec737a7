"""What a call comes to, in words that fit into a report."""

from __future__ import annotations

import re
import warnings
from typing import Any, Callable, Tuple

from .libraries.library import Library
from .nouns import CRASHED, EXCEPTION, SUCCESS, Outcome

MOST_TEXT = 200
_STACK = re.compile(r"Exception raised from|\nC\+\+ CapturedTraceback")
_INTERNAL = re.compile(r"INTERNAL ASSERT FAILED|please report a bug", re.IGNORECASE)


def outcome_of(
    function: Callable[[], Any],
    library: Library,  # noqa: ARG001 - a seam: other libraries fail otherwise
    *,
    is_told: bool = True,
) -> Tuple[Outcome, Any]:
    """Call it: how it ended, and its value (``None`` where it raised).

    Printing an array costs more than computing it: where ``is_told`` is false
    the outcome of a success has no text.

    An internal assertion that fails is a crash, though it comes as an exception.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function()
    except Exception as error:
        return raised(error), None
    return succeeded(value) if is_told else Outcome(SUCCESS, ""), value


def raised(error: BaseException) -> Outcome:
    """The outcome that an exception is."""
    name, message = type(error).__name__, _message(error)
    status = CRASHED if _INTERNAL.search(message) else EXCEPTION
    return Outcome(status, shortened(f"{name}: {message}" if message else name), name)


def succeeded(value: Any) -> Outcome:
    """The outcome that a value is: arrays as the library prints them, on one line."""
    return Outcome(SUCCESS, shown(value))


def shown(value: Any) -> str:
    """A value as it prints itself, shortened, on one line."""
    try:
        return shortened(repr(value))
    except Exception:
        return f"a {type(value).__name__}"


def shortened(text: str) -> str:
    """A text on one line, of at most :data:`MOST_TEXT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_TEXT else line[: MOST_TEXT - 1] + "…"


def _message(error: BaseException) -> str:
    """What it says, without the library's own stack below it."""
    try:
        text = str(error)
    except Exception:
        return ""
    return _STACK.split(text, maxsplit=1)[0]
