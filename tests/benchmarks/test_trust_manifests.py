"""The projects of the trust suite are described as they are."""

from collections import Counter

import pytest

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.inference.facts import parse_module
from benchmarks.trust.manifests import CLEAN, projects

PROJECTS = projects()
TESTED = {each.name for each in PROJECTS if each.group in CLEAN and each.like is None}


def test_there_are_projects_enough():
    counts = Counter(project.group for project in PROJECTS)
    assert sum(counts[group] for group in CLEAN) >= 60
    assert counts["untestable"] >= 8
    assert counts["seeded"] >= 8


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_manifest_fits_its_project(project):
    assert project.why
    assert bool(project.findings) == (project.group == "seeded")
    assert ("success" in project.verdicts) == (project.group in CLEAN)
    assert project.like is None or project.like in TESTED
    for target in {*project.most, *project.least}:
        path, _, function = target.partition("::")
        assert function in {name for name, _ in definitions(parse_module(project.head[path]))}, (
            target
        )
