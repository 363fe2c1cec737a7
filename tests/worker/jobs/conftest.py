from __future__ import annotations

import tempfile

import pytest

from tests.worker.jobs.desks import office as make_office


@pytest.fixture
def office(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    made = make_office(tmp_path)
    yield made
    made.store.close()
    made.server.close()
