"""The projects of the trust suite as test cases."""

import pytest

from benchmarks.trust.manifest_checks import checked, deviations
from benchmarks.trust.manifests import projects


def projects_of(*groups):
    """One parameter for each project of the groups that is not like another, named after it."""
    chosen = [each for each in projects() if each.group in groups and not each.like]
    return pytest.mark.parametrize("project", chosen, ids=lambda project: project.name)


def check_as_expected(project, tmp_path, monkeypatch, *analyzers, budget=None, inputs=None):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = deviations(checked(project, budget, analyzers, inputs))
    assert found == [], found
