"""Nothing is reported on clean projects of the group networks."""

import pytest

from tests.benchmarks.trust import check_as_expected, projects_of


@pytest.mark.slow
@projects_of("networks")
def test_clean_project_is_left_alone(project, tmp_path, monkeypatch):
    check_as_expected(project, tmp_path, monkeypatch, budget=12)
