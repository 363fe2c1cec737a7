"""Rules of the analyzer ``assembly``."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
UNCHECKED_BOUNDARY = _RULES["assembly/unchecked-boundary"]
STATE = _RULES["assembly/state"]
RULES = tuple(_RULES.values())
