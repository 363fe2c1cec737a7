"""What tests of studies share: an isolation that holds here, and a guest of ours."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.relations import table_folders
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.isolation import find_isolation
from worker.studies.library_study import StudySandbox
from worker.studies.study_protocol import StudyRequest

STUDIOUS = GuestProgram(Path(__file__).parent / "guests" / "studious", "_studious_guest")


@pytest.fixture(scope="session")
def isolation():
    return find_isolation()


@pytest.fixture
def site(isolation):
    return StudySandbox(isolation, Path(sys.executable), program=STUDIOUS)


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    """A state folder of the test's own, and no table but those that are built there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(table_folders, "_shipped", lambda: tmp_path / "nothing shipped")
    monkeypatch.setattr(table_folders, "_more", [])
    table_folders.clear_caches()
    yield tmp_path / "state"
    table_folders.clear_caches()


@pytest.fixture
def order():
    """Orders of a study, with what is asked of the guest."""
    plain = StudyRequest("torch", "2.13.0+cpu", "relations", seconds=60)

    def order(*oracles, **changes):
        return replace(plain, oracles=oracles, **changes)

    return order
