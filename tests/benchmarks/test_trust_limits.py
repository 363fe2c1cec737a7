"""What cannot be tested is not called tested, and seeded defects are told."""

import pytest

from tests.benchmarks.trust import check_as_expected, projects_of


@pytest.mark.slow
@projects_of("untestable")
def test_untestable_project_is_not_tested(project, tmp_path, monkeypatch):
    check_as_expected(project, tmp_path, monkeypatch)


@pytest.mark.slow
@projects_of("seeded")
def test_seeded_defect_is_reported(project, tmp_path, monkeypatch):
    analyzers = () if project.findings[0].startswith("cloud/") else ("properties",)
    check_as_expected(project, tmp_path, monkeypatch, *analyzers)
