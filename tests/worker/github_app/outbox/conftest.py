"""A double of GitHub and a publisher's world at it."""

import pytest

from tests.github_double.fixture import github  # noqa: F401
from tests.worker.github_app.outbox.world import PublisherWorld


@pytest.fixture
def world(github, tmp_path):  # noqa: F811
    made = PublisherWorld(github, tmp_path)
    yield made
    made.close()
