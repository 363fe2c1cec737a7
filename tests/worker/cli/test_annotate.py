"""``assayer annotate`` proposes what is inferred, as a patch that applies and is read again."""

import subprocess

import pytest
from click.testing import CliRunner

from analyzers.guest.annotations.annotation_reader import read
from analyzers.properties.annotation_proposals import is_test
from tests.worker.changes.conftest import Project
from worker.cli.annotate import annotate
from worker.errors import UsageError

NET = '''"""A net."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden: int = 16):
        super().__init__()
        self.conv = nn.Conv2d(3, hidden, 3)

    def forward(self, x):
        return torch.relu(self.conv(x))


def scaled(values, mode):
    if mode not in ("sum", 'mean', "a rather long name of a mode", "another quite long name"):
        raise ValueError(mode)
    return values
'''


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "project")
    project.write("net.py", NET)
    project.write("tests/test_net.py", "from net import scaled\n\n\ndef test_one(tmp_path): ...\n")
    project.commit(app="a = 1\n")
    return project


def run(*arguments, status=0):
    result = CliRunner().invoke(annotate, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert (result.return_value or 0) == status
    return result


def test_proposal_is_a_patch_that_applies(project):
    result = run(project.root)
    subprocess.run(
        ["git", "apply", "--check"], cwd=project.root, input=result.stdout.encode(), check=True
    )
    assert "+    #@arg(x): tensors(" in result.stdout
    assert (project.root / "net.py").read_text() == NET


GROUPED = """from torch import nn


class Block(nn.Module):
    def __init__(self, cin, cout, groups):
        super().__init__()
        if cin % groups != 0:
            raise ValueError("cin must be divisible by groups")
        self.conv = nn.Conv2d(cin, cout, 3, groups=groups)


THREE = Block(12, 24, groups=3)
FOUR = Block(12, 24, groups=4)
"""


def test_calls_say_more_of_groups_than_its_name(project):
    (project.root / "grouped.py").write_text(GROUPED)
    said = run(project.root / "grouped.py").stdout
    assert "+    #@arg(groups): ints(min=3, max=4)" in said
    assert "+    #@require(cin % groups == 0)" in said


def test_condition_on_a_parameter_that_is_not_annotated_is_not_proposed(project):
    (project.root / "split.py").write_text(
        "def split(blob, groups: int):\n"
        "    if blob.size % groups != 0:\n"
        "        raise ValueError(groups)\n"
        "    return blob\n"
    )
    said = run(project.root / "split.py")
    assert "#@arg(groups)" in said.stdout
    assert "blob.size % groups == 0" not in said.stdout + said.stderr


def test_each_annotation_says_where_it_comes_from(project):
    said = run(project.root / "net.py").stderr
    assert "net.py::Net.forward" in said
    assert "x: shapes through the layers" in said
    assert "annotations proposed" in said
    assert "Net.forward" not in run(project.root / "net.py", "--quiet").stderr


def test_written_annotations_are_read_without_problems(project):
    run(project.root / "net.py", "--write")
    text = (project.root / "net.py").read_text()
    found = read(text)
    assert found.problems == []
    assert set(found.functions["Net.forward"].constraints) == {"x"}
    assert all(len(line) <= 100 for line in text.splitlines())
    assert not [line for line in text.splitlines() if "#@" in line and "'" in line]


def test_a_second_run_proposes_nothing_that_stands_there(project):
    run(project.root / "net.py", "--write")
    assert run(project.root / "net.py").stdout == ""


def test_line_ends_and_encoding_are_kept(project):
    place = project.root / "net.py"
    head = "# -*- coding: latin-1 -*-\n# Größe\n"
    place.write_bytes((head + NET).replace("\n", "\r\n").encode("latin-1"))
    run(place, "--write")
    content = place.read_bytes()
    assert b"#@arg(x)" in content
    assert content.count(b"\r\n") == content.count(b"\n")
    assert "Größe" in content.decode("latin-1")


def test_guesses_are_proposed_only_when_asked_for(project):
    source = "import numpy as np\n\n\ndef attend(queries, keys):\n    return queries @ keys.T\n"
    place = project.write("guess.py", source)
    plain, guessed = run(place), run(place, "--guesses")
    assert plain.stdout == ""
    assert "  left out: queries: name, guess.py:4 (guess)" in plain.stderr
    assert "+#@arg(queries): " in guessed.stdout


def test_test_files_get_no_annotations(project):
    result = run(project.root)
    assert "1 test file left out" in result.stderr
    assert "tests/test_net.py" not in result.stdout


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("test_net.py", True),
        ("net_test.py", True),
        ("tests/shapes.py", True),
        ("pkg/conftest.py", True),
        ("pkg/contest.py", False),
        ("testbed.py", False),
    ],
)
def test_test_files_are_told_by_their_names(path, tests):
    assert is_test(path) is tests


def test_file_that_is_no_python_is_named_with_its_line(project):
    project.write("broken.py", "a = 1\ndef f(:\n")
    result = run(project.root, status=2)
    assert "broken.py:2: invalid syntax" in result.stderr
    assert "+    #@arg(x)" in result.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [("nowhere.py", "no such file"), ("README.md", "no Python code")],
)
def test_paths_without_python_are_refused(project, name, said):
    project.write("README.md", "# Net\n")
    with pytest.raises(UsageError, match=said):
        run(project.root / name)


def test_folder_outside_a_repository_is_refused(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\n")
    with pytest.raises(UsageError, match="not a git repository"):
        run(tmp_path / "a.py")


def test_paths_of_two_projects_are_refused(project, tmp_path):
    (tmp_path / "other.py").write_text("a = 1\n")
    with pytest.raises(UsageError, match="not in the project"):
        run(project.root, tmp_path / "other.py")


def test_recorded_calls_are_used(project):
    project.write("count.py", "def twice(steps):\n    return [steps] * 2\n")
    project.write(
        "tests/test_count.py",
        "from count import twice\n\n\ndef test_twice():\n"
        "    for steps in map(int, '2 7 31'.split()):\n        assert len(twice(steps)) == 2\n",
    )
    without = run(project.root / "count.py")
    result = run(project.root / "count.py", "--record", "--trust")
    assert "count.py: 3 calls recorded" in result.stderr
    assert "recorded call" not in without.stderr
    assert "recorded call in the project's tests" in result.stderr
    assert "ints(min=2, max=31)" in result.stdout
