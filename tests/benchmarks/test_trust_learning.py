"""Nothing is reported on clean projects of the group learning.

The library calls of the group networks are enough for the analyzer of relations.
"""

import pytest

from tests.benchmarks.trust import check_as_expected, projects_of


@pytest.mark.slow
@projects_of("learning")
def test_clean_project_is_left_alone(project, tmp_path, monkeypatch):
    check_as_expected(project, tmp_path, monkeypatch, "properties")
