"""``assayer init`` writes a configuration that can be used as it stands."""

import re

import pytest
from click.testing import CliRunner

from tests.worker.changes.conftest import Project
from worker.cli.init import configuration_template, init
from worker.errors import UsageError
from worker.settings.repository_configuration import (
    Configuration,
    find_configuration,
    parse_configuration,
)


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "project")
    project.commit(app="a = 1\n")
    return project


def run(*arguments):
    return CliRunner().invoke(init, [str(a) for a in arguments], catch_exceptions=False)


def test_init_writes_and_says_where(project):
    result = run(project.root)
    place = project.root / ".github/assayer.toml"
    assert result.exit_code == 0
    assert str(place) in result.output
    assert "in its scope: 1" in result.output
    assert find_configuration(project.root, None) == Configuration()


def test_init_overwrites_nothing(project):
    run(project.root)
    place = project.root / ".github/assayer.toml"
    place.write_text("inputs = 3\n")
    with pytest.raises(UsageError, match="already"):
        run(project.root)
    assert place.read_text() == "inputs = 3\n"


def test_init_respects_pyproject(project):
    project.write("pyproject.toml", "[tool.assayer]\n")
    with pytest.raises(UsageError, match="already"):
        run(project.root)
    assert not (project.root / ".github").exists()


def test_init_needs_a_repository(tmp_path):
    with pytest.raises(UsageError, match="not a git repository"):
        run(tmp_path)


def test_commented_values_are_the_defaults():
    keys = re.sub(r"(?m)^# (?=[a-z-]+ = |\[\[)", "", configuration_template())
    found = parse_configuration(keys, ".github/assayer.toml")
    assert found is not None
    assert found.model_copy(update={"ignore": ()}) == Configuration()
    assert found.ignore[0].rule == "cloud/low-recall"
    aliases = {field.alias for field in Configuration.model_fields.values()}
    assert aliases - {"ignore"} <= set(re.findall(r"(?m)^([a-z-]+) = ", keys))
