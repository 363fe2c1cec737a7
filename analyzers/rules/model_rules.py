"""Rules of the analyzer ``models``."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
DIVERGENCE = _RULES["model/divergence"]
NON_FINITE = _RULES["model/non-finite"]
CRASH = _RULES["model/crash"]
NOT_COMPILED = _RULES["model/not-compiled"]
RULES = tuple(_RULES.values())
