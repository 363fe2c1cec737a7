"""The pytest fixture; a conftest or test module takes it by importing it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.github_double.double import GithubDouble


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GithubDouble]:
    """A GitHub of one's own; the test fails at its end if anything broke the description."""
    with opened(tmp_path / "github") as double:
        yield double
    double.check()


def opened(folder: Path) -> AbstractContextManager[GithubDouble]:
    """A double in a folder; behind Prism where ``make test-prism`` asks for that."""
    if "ASSAYER_PRISM" not in os.environ:
        return GithubDouble(folder)
    from tests.github_double.prism import behind_prism

    return behind_prism(folder)
