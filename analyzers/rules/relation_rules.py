"""Rules of the analyzer ``relations``."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
VALUE = _RULES["relation/value"]
STATUS = _RULES["relation/status"]
CRASH = _RULES["relation/crash"]
RULES = tuple(_RULES.values())
