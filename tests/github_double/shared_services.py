"""What every part of the double shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.github_double.injected_faults import Faults
from tests.github_double.responses import not_found
from tests.github_double.rest_objects import Shapes
from tests.github_double.state import Account, Installation, Logged, Repository, State, Violation
from tests.github_double.tokens import App


@dataclass
class Limits:
    """GitHub's limits; those that are ``None`` are not enforced.

    ``requests`` an hour and installation, ``content`` writes a minute,
    ``concurrent`` requests at once; the rest bounds diffs.
    """

    requests: int = 5000
    content: int | None = None
    concurrent: int = 100
    files: int = 3000
    diff_files: int = 300
    diff_lines: int = 20_000
    patch_lines: int = 20_000
    patch_bytes: int = 500_000
    commits: int = 250
    token_seconds: float = 3600
    runs_of_a_name: int = 1000
    resolve_needs: tuple[tuple[str, str], ...] = (
        ("pull_requests", "write"),
        ("contents", "write"),
    )


@dataclass
class Hub:
    """The state with all that works on it."""

    folder: Path
    app: App
    state: State
    shapes: Shapes
    faults: Faults = field(default_factory=Faults)
    limits: Limits = field(default_factory=Limits)
    violations: list[Violation] = field(default_factory=list)
    refusals: list[Logged] = field(default_factory=list)
    requests: list[Logged] = field(default_factory=list)
    hasty: list[Logged] = field(default_factory=list)
    without_patch: set[str] = field(default_factory=set)
    emit: Callable[..., Any] = lambda *_arguments, **_named: None
    deliveries: Any = None

    @property
    def bot(self) -> Account:
        return self.state.account(self.app.bot, "Bot")

    def violated(self, where: str, *what: str) -> None:
        self.violations.extend(Violation(where, one) for one in what)

    def repository(self, owner: str, name: str) -> Repository:
        """The repository of that name; raises a 404."""
        found = self.state.by_name.get(f"{owner}/{name}".lower())
        if found is None or found.deleted:
            raise not_found()
        return found

    def installation_of(self, repository: Repository) -> Installation | None:
        return self.state.installation_of(repository)
