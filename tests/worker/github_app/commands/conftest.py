from __future__ import annotations

import pytest

from tests.github_double import github as github  # noqa: PLC0414 - a fixture
from tests.worker.github_app.commands.asking import Asking


@pytest.fixture
def world(github, tmp_path):
    made = Asking(github, tmp_path)
    yield made
    made.close()
