"""Rules of the analyzer ``cloud`` and the messages of their findings."""

from __future__ import annotations

from analyzers.rules.rule import read_rules

_RULES = read_rules(__file__)
LOW_RECALL = _RULES["cloud/low-recall"]
DEAD_BRANCH = _RULES["cloud/dead-branch"]
UNKNOWN_LABEL = _RULES["cloud/unknown-label"]
MIXED_SENTIMENT = _RULES["cloud/mixed-sentiment"]
CRASH = _RULES["cloud/crash"]
MISUSE = _RULES["cloud/misuse"]
CHANGED = _RULES["behaviour/changed"]
RULES = tuple(_RULES.values())
