"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it works, and what to do where it does not."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
