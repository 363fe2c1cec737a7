"""What an error of Keras says, in one line."""

from __future__ import annotations

import re

_LONGEST = 300
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_AROUND = ("Exception encountered when calling", "Arguments received by")


def said(error: BaseException) -> str:
    """The first line that is about the error itself, not about the layer around it."""
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines()]
    telling = [line for line in lines if line and not line.startswith(_AROUND)]
    return (telling[0] if telling else "")[:_LONGEST]
