"""A rule in one place: its level, its words for people and its examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary.probes import Json
from analyzers.vocabulary.verdicts import Level


@dataclass(frozen=True, slots=True)
class Example:
    """A short program that a rule reports, or does not.

    ``api`` is the ML API that it calls, ``answers`` are what that API answers for
    inputs by what they show (for none, under ``""``), and ``tried`` are answers that the
    search made up.  ``base`` is the program before the change.  ``kind`` and ``about``
    tell apart the cases of a rule that has several.
    """

    code: str
    kind: str = ""
    about: str = ""
    api: str = ""
    base: str = ""
    answers: Mapping[str, tuple[Json, ...]] = field(default_factory=dict[str, tuple[Json, ...]])
    tried: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that an analyzer reports, with the words and examples that explain it.

    ``level`` is the highest that a finding has; ``lower`` says when it is lower.
    The examples are the rule's tests and its part of ``docs/rules.md``.
    """

    id: str
    level: Level
    title: str
    why: str
    fix: str
    lower: str = ""
    failing: tuple[Example, ...] = ()
    passing: tuple[Example, ...] = ()
