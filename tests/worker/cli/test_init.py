"""``assayer init`` writes a configuration that can be used as it stands."""

import re

import pytest
from click.testing import CliRunner

from tests.worker.changes.conftest import Project
from worker.cli.init import init
from worker.cli.project_survey import configuration_template
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


ASKS = """\
from google.cloud import vision


def words(content):
    client = vision.ImageAnnotatorClient()
    answer = client.{api}(image=vision.Image(content=content))
    return len(answer.{field})
"""
NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return torch.relu(self.out(x))
"""
TEXTS = ASKS.format(api="text_detection", field="text_annotations")
LOGOS = ASKS.format(api="logo_detection", field="logo_annotations")


def written(project):
    text = (project.root / ".github/assayer.toml").read_text()
    found = parse_configuration(text, ".github/assayer.toml")
    assert found is not None
    return text, found


def test_what_the_code_asks_is_found(project):
    project.commit(texts=TEXTS, logos=LOGOS)
    said = run(project.root).output
    assert "  google.vision.text_detection: 1, answered by local-rapidocr" in said
    assert "  google.vision.logo_detection: 1, nobody answers: set [engines." in said
    assert "A first check of everything asks about 80 questions" in said
    text, found = written(project)
    assert found.analyzers == ("cloud",)
    assert "# Functions that use ML: 2" in text


def test_deep_learning_code_gets_its_analyzers(project):
    project.commit(net=NET)
    assert "torch" in run(project.root).output
    assert written(project)[1].analyzers == ("properties", "relations", "models", "assembly")


def test_code_of_both_kinds_is_left_to_all_analyzers(project):
    project.commit(net=NET, texts=TEXTS)
    run(project.root)
    assert written(project)[1].analyzers == ()


def test_large_projects_get_a_budget_that_fits(project):
    one = TEXTS.partition("def words")
    many = "".join(one[1].replace("words", f"words_{n}") + one[2] for n in range(200))
    project.commit(texts=one[0] + many)
    run(project.root)
    assert written(project)[1].budget.api_calls == 800


def test_code_without_ml_is_said_to_have_none(project):
    assert "No function uses an ML API" in run(project.root).output
    assert written(project)[1] == Configuration()
