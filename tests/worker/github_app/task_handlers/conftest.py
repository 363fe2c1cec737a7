from __future__ import annotations

import tempfile

import pytest

from tests.worker.github_app.task_handlers.publisher_contexts import (
    publisher_context as make_office,
)


@pytest.fixture
def publisher_context(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    made = make_office(tmp_path)
    yield made
    made.store.close()
    made.server.close()
