from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_double import GithubDouble
from tests.github_double.fixture import opened
from tests.worker.github_app.client.scripted import Github, SleepingClock, app
from worker.github_app.client.api import Api


@pytest.fixture
def clock() -> SleepingClock:
    return SleepingClock()


@pytest.fixture
def github(clock: SleepingClock) -> Github:
    return Github(clock)


@pytest.fixture
def api(github: Github, tmp_path: Path) -> Api:
    return app(github, tmp_path).installation(1, 42, {"checks": "write"})


@pytest.fixture
def double(tmp_path: Path) -> Iterator[GithubDouble]:
    """A GitHub that remembers; the test fails if anything broke GitHub's description."""
    with opened(tmp_path / "github") as github:
        yield github
    github.check()
