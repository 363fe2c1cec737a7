"""The table of ways in which code asks ML APIs, as data in ``ways_of_asking.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Way:
    """A way of asking: ``code`` defines ``f``, which returns what the API says.

    ``mode`` is sync, async, stream or async stream; ``sdk`` is the package that is needed, if any;
    ``gives`` is what ``f`` returns.
    """

    name: str
    api: str
    mode: str
    sdk: str
    code: str
    gives: str = "The service was great."


TABLE = Path(__file__).with_suffix(".toml")
WAYS = [Way(**entry) for entry in tomllib.loads(TABLE.read_text("utf-8"))["way"]]
