"""The answer to a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from analyzers.vocabulary.json import JsonObject
from analyzers.vocabulary.targets import Target
from analyzers.vocabulary.verdicts import Broken, Finding, LibraryBug, Skipped


@dataclass(frozen=True, slots=True)
class Tally:
    """What was done for one target, counted by the host.

    ``apis`` are those of a library that a campaign on the target reached, beside those
    that the target itself calls.
    """

    goals_total: int = 0
    goals_reached: int = 0
    goals_proved_unreachable: int = 0
    branches_total: int = 0
    branches_covered: int = 0
    executions: int = 0
    apis: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a whole run cost; ``dollars`` by the list prices of the calls."""

    seconds: float = 0.0
    executions: int = 0
    api_calls: int = 0
    api_calls_cached: int = 0
    api_calls_refused: int = 0
    dollars: float = 0.0


class Conclusion(StrEnum):
    """The verdict on a whole change (CONTRACT.md, section 1)."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    SKIPPED = "skipped"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to a pull request.

    ``environment`` says in sentences what the runs were made with: the
    isolation in force, stand-ins, engines.  ``ignored`` maps a fingerprint
    to the reason (and date) for which its finding blocks nothing.
    ``appendix`` are defects of libraries that no input was seen to meet.
    """

    repository: str
    base: str
    head: str | None
    conclusion: Conclusion
    targets: tuple[tuple[Target, Tally], ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    broken: tuple[Broken, ...] = ()
    cost: Cost = Cost()
    environment: tuple[str, ...] = ()
    ignored: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    partial: bool = False
    appendix: tuple[LibraryBug, ...] = ()
