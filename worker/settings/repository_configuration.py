"""Configuration by the maintainers of the tested repository."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pathspec import PathSpec
from pathspec.pattern import Pattern
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from analyzers.rules import RULES
from worker.changes.snapshot import base_of, read_texts
from worker.errors import UsageError
from worker.settings.inline_ignores import (
    InlineIgnore,
    MalformedIgnore,
    inline_ignores,
    malformed_ignores,
    unknown_rule,
)
from worker.settings.toml_file import configuration_problem, parse

__all__ = [
    "Budget", "Configuration", "Ignore", "InlineIgnore", "MalformedIgnore",
    "inline_ignores", "malformed_ignores", "parse_configuration", "proposed_change_note",
    "read_configuration",
]  # fmt: skip

PYPROJECT = "pyproject.toml"
OWN_FILE = ".github/assayer.toml"


def _patterns(globs: tuple[str, ...]) -> PathSpec[Pattern]:
    return PathSpec.from_lines("gitignore", globs)


def _valid_globs(globs: tuple[str, ...]) -> tuple[str, ...]:
    _patterns(globs)
    return globs


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _day(value: Any) -> Any:
    if type(value) is not datetime.date:
        raise ValueError("a date without quotes is expected, such as 2027-01-31")
    return value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Names = Annotated[tuple[Text, ...], BeforeValidator(_tuple)]
Globs = Annotated[Names, AfterValidator(_valid_globs)]
Day = Annotated[datetime.date, BeforeValidator(_day)]
Share = Annotated[float, Field(gt=0, lt=1)]


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, alias_generator=_kebab, populate_by_name=True
    )


class Budget(_Table):
    """The most that one run may cost: seconds, calls of ML APIs, dollars by list price."""

    seconds: float = Field(default=300.0, gt=0)
    api_calls: int = Field(default=500, ge=0)
    api_dollars: float = Field(default=5.0, ge=0)


class Ignore(_Table):
    """An ignored finding, by fingerprint or by rule and path (gitignore), until a day."""

    fingerprint: Text | None = None
    rule: Text | None = None
    path: Text | None = None
    reason: Text
    until: Day | None = None

    @model_validator(mode="after")
    def _names_findings(self) -> Self:
        if self.rule is not None and self.rule not in RULES:
            raise ValueError(unknown_rule(self.rule))
        by_place = self.rule is not None and self.path is not None
        stray = (self.rule is not None or self.path is not None) and not by_place
        if stray or by_place == (self.fingerprint is not None):
            raise ValueError("an ignore names either `fingerprint`, or `rule` and `path`")
        return self

    def covers(self, fingerprint: str, rule: str, path: str, today: datetime.date) -> bool:
        """Return whether a finding is ignored on a day."""
        if self.until is not None and today > self.until:
            return False
        if self.fingerprint is not None:
            return self.fingerprint == fingerprint
        return self.rule == rule and _patterns((self.path or "",)).match_file(path)


class Configuration(_Table):
    """The keys of ``[tool.assayer]``: `assayer init` and the documentation print this table."""

    include: Globs = Field(
        default=(),
        description="Which code is tested: gitignore patterns; empty: all. Virtual environments,"
        ' vendored and generated code are excluded unless a pattern such as "!vendor/ours/"'
        " includes them.",
    )
    exclude: Globs = Field(default=(), description="Which code is not tested: gitignore patterns.")
    analyzers: Names = Field(
        default=(),
        description='Which analyzers run; empty: all. "cloud" tests code that calls an ML API,'
        ' "properties" tests neural network code with valid inputs.',
    )
    inputs: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="How many inputs test each branch that depends on an ML answer.",
    )
    recall_threshold: Share = Field(
        default=0.75,
        description="The share of those inputs that must reach the branch: more than 0, less"
        " than 1.",
    )
    gate: Literal["failure", "neutral"] = Field(
        default="failure",
        description='The conclusion of a check with a new finding: "failure", or "neutral" to'
        " report it without failing.",
    )
    fail_open: bool = Field(
        default=False,
        description="The conclusion where Assayer itself fails: false requires action and blocks"
        " a required check; true is neutral and lets it pass.",
    )
    budget: Budget = Field(
        default=Budget(),
        description="The limits of one run: seconds, calls of ML APIs, and their list price in"
        " dollars. The operator's limits apply too. A run that reaches one ends neutral, with the"
        " reason.",
    )
    inline_comments: int = Field(
        default=5, ge=0, le=50, description="How many comments a review may place on lines."
    )
    commands: Literal["write", "maintain", "admin"] | Names = Field(
        default="write",
        description='Who may use /assayer commands: "write", "maintain", "admin", or a list of'
        " logins.",
    )
    ignore: Annotated[tuple[Ignore, ...], BeforeValidator(_tuple)] = Field(
        default=(),
        description="A finding to ignore, by fingerprint, or by rule and path (a gitignore"
        " pattern). A reason is required; after the day `until` the finding counts again.",
    )


def documented_keys() -> list[tuple[str, str, str]]:
    """Return each key of the configuration with its default as TOML and its description."""
    defaults = Configuration().model_dump(mode="json", by_alias=True)
    return [
        (field.alias or name, _toml(defaults[field.alias or name]), field.description or "")
        for name, field in Configuration.model_fields.items()
    ]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def parse_configuration(text: str, file: str) -> Configuration | None:
    """Return the configuration in a TOML text, or ``None``; raise ``UsageError``."""
    document: Any = parse(text, file)
    root = ("tool", "assayer") if Path(file).name == PYPROJECT else ()
    for key in root:
        if not isinstance(document, dict) or key not in document:
            return None
        document = document[key]
    try:
        return Configuration.model_validate(document, by_alias=True, by_name=False)
    except ValidationError as error:
        raise configuration_problem(error, Configuration, text, file, root) from error


def read_configuration(
    repository: Path,
    base: str | None = None,
    *,
    head: str | None = None,
    everything: bool = False,
) -> Configuration:
    """Return the configuration in force, read from the base revision.

    The head's own is validated, not obeyed, unless ``everything``.  Raises ``UsageError``.
    """
    proposed = _configurations(repository, head)
    if everything and base is None:
        return _one(proposed) or Configuration()
    return find_configuration(repository, base_of(repository, base, head)) or Configuration()


def proposed_change_note(
    repository: Path, base: str | None = None, *, head: str | None = None
) -> str | None:
    """Return what to say where the change edits the configuration, else ``None``."""
    before = find_configuration(repository, base_of(repository, base, head))
    proposed = _configurations(repository, head)
    if len(proposed) > 1:
        return (
            f"The change configures Assayer in both {PYPROJECT} and {OWN_FILE}. Both are valid,"
            " but checks stop with an error once both are part of the base branch: keep one of"
            " them. This run followed the base's configuration."
        )
    if before == _one(proposed):
        return None
    return (
        "The change edits Assayer's configuration. It is valid and takes effect once"
        " it is part of the base branch; this run followed the base's."
    )


def find_configuration(repository: Path, revision: str | None) -> Configuration | None:
    """Return the configuration at a revision (``None``: in the working tree), if any."""
    return _one(_configurations(repository, revision))


def _configurations(repository: Path, revision: str | None) -> dict[str, Configuration]:
    return {
        file: parsed
        for file, text in read_texts(repository, revision, (PYPROJECT, OWN_FILE)).items()
        if (parsed := parse_configuration(text, file)) is not None
    }


def _one(found: Mapping[str, Configuration]) -> Configuration | None:
    if len(found) > 1:
        raise UsageError(
            f"Assayer is configured here and in {PYPROJECT}; keep one of them", file=OWN_FILE
        )
    return next(iter(found.values()), None)
