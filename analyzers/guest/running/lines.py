"""What running processes report to the one that directs them, a line of JSON each."""

from __future__ import annotations

import json
from typing import Any, Dict

Frame = Dict[str, Any]
LONGEST = 4 << 20


class Garbled(Exception):  # noqa: N818 - a fact about what was read
    """A line that is no report."""


def written(frame: Frame) -> bytes:
    """A report as a line."""
    return json.dumps(frame).encode() + b"\n"


def check_length(part: bytes) -> None:
    """Raise :class:`Garbled` for a line that has become too long."""
    if len(part) > LONGEST:
        raise Garbled("a line without end")
