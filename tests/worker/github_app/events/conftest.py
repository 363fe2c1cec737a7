from __future__ import annotations

import pytest

from worker.github_app.outbox.delivery_dispatch import dispatch
from worker.store.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.fixture
def heard(store):
    """Hear deliveries, each in a transaction of its own."""

    def listen(*deliveries):
        for each in deliveries:
            with store.write() as unit:
                dispatch(each, unit)

    return listen


@pytest.fixture
def unit(store):
    """What is kept now."""

    def look(question):
        with store.read() as opened:
            return question(opened)

    return look
