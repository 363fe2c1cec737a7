"""Every case file detects what stands beside it, and nothing else."""

from __future__ import annotations

import pytest

from tests.analyzers.detection import harness


@pytest.mark.parametrize("name", harness.names())
def test_case_detects_what_is_expected(name):
    files = harness.sources(name)
    assert harness.shown(harness.everything(files)) == harness.expected(name)


def test_every_case_has_its_expectation():
    stems = {path.stem for path in harness.FOLDER.iterdir() if not path.name.startswith("__")}
    assert stems == set(harness.names())
