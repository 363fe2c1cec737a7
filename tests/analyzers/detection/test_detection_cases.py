"""Every case file detects what stands beside it, and nothing else."""

from __future__ import annotations

import pytest

from tests.analyzers.detection import detection_cases


@pytest.mark.parametrize("name", detection_cases.names())
def test_case_detects_what_is_expected(name):
    files = detection_cases.sources(name)
    assert detection_cases.shown(detection_cases.everything(files)) == detection_cases.expected(
        name
    )


def test_every_case_has_its_expectation():
    stems = {
        path.stem for path in detection_cases.FOLDER.iterdir() if not path.name.startswith("__")
    }
    assert stems == set(detection_cases.names())
