"""A rule in one place: its level, its words for people and its examples."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analyzers.vocabulary.probes import Json
from analyzers.vocabulary.verdicts import Level


@dataclass(frozen=True, slots=True)
class Example:
    """A short program that a rule reports, or does not.

    ``api`` is the ML API that it calls, ``answers`` are what that API answers for
    inputs by what they show (for none, under ``""``), and ``tried`` are answers that the
    search made up.  ``base`` is the program before the change, ``requirements`` the text of
    the project's ``requirements.txt``.  ``kind`` and ``about`` tell apart the cases of a rule
    that has several.
    """

    code: str
    kind: str = ""
    about: str = ""
    api: str = ""
    base: str = ""
    requirements: str = ""
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


def read_rules(module: str) -> dict[str, Rule]:
    """Return the rules beside a module, in the file of its name, by their ids."""
    text = Path(module).with_suffix(".toml").read_text(encoding="utf-8")
    return {name: _rule(name, fields) for name, fields in tomllib.loads(text).items()}


def _rule(name: str, fields: dict[str, Any]) -> Rule:
    failing, passing = (
        tuple(_example(each) for each in fields.pop(kind, ())) for kind in ("failing", "passing")
    )
    level = Level(fields.pop("level"))
    return Rule(id=name, level=level, failing=failing, passing=passing, **fields)


def _example(fields: dict[str, Any]) -> Example:
    answers = {shown: _fixed(each) for shown, each in fields.pop("answers", {}).items()}
    tried = _fixed(fields.pop("tried", ()))
    return Example(**fields, answers=answers, tried=tried)


def _fixed(value: Any) -> Any:
    return tuple(map(_fixed, value)) if isinstance(value, list | tuple) else value
