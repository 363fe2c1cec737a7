"""``assayer relations`` shows tables, builds them in the sandbox, and looks for divergences."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import worker.cli.relation_studies
from analyzers.relations import table_folders
from analyzers.relations.relation_tables import line
from worker.cli.relations import relations
from worker.errors import MachineError, UsageError
from worker.sandbox.guest_launch import GuestProgram
from worker.studies.library_study import StudySandbox
from worker.studies.study_journal import folder

STUDIOUS = GuestProgram(Path(__file__).parents[1] / "studies/guests/studious", "_studious_guest")
LCM = "torch.lcm(torch.tensor([-9223372036854775808]), torch.tensor(5))"
RELATIONS = [
    {
        "source": "torch.lcm",
        "target": "torch.Tensor.lcm",
        "template": "torch.Tensor.lcm(input, other)",
        "holds": "value",
        "inputs": 40,
    }
]
APIS = [
    {"name": "torch.lcm", "parameters": ["input", "other"], "calls": 41, "status": "covered"},
    {"name": "torch.rand", "parameters": ["size"], "calls": 8, "status": "random"},
]


def divergence(api, related, verdict, note=""):
    return {
        "api": api,
        "rule": "crash",
        "relation": "value",
        "related": related,
        "call": LCM.replace("torch.lcm", api),
        "outcome": "SIGFPE",
        "expected": "tensor([1])",
        "judged": verdict,
        "note": note,
    }


DIVERGENCES = [
    divergence("torch.lcm", "torch.Tensor.lcm(input)", "bug", "the smallest integer"),
    divergence("torch.relu", "torch.Tensor.relu(input)", "false"),
]


@pytest.fixture(autouse=True)
def _state(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield
    table_folders.remove(folder() / "tables")


@pytest.fixture
def shipped(tmp_path):
    """A table of a version that is installed nowhere."""
    place = tmp_path / "shipped" / "torch-0.1.0"
    place.mkdir(parents=True)
    for name, rows in (("relations", RELATIONS), ("apis", APIS), ("divergences", DIVERGENCES)):
        (place / f"{name}.jsonl").write_text("".join(map(line, rows)))
    table_folders.add(place.parent)
    yield place
    table_folders.remove(place.parent)


@pytest.fixture
def stand_in(monkeypatch):
    """Guests that study nothing and say that they did."""

    def site(isolation, python):
        return StudySandbox(isolation, python, program=STUDIOUS)

    monkeypatch.setattr(worker.cli.relation_studies, "StudySandbox", site)


def run(*arguments):
    result = CliRunner().invoke(relations, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert result.return_value == 0
    return result


def show(*arguments):
    return run("show", "--version", "0.1.0", *arguments).stdout


class TestShow:
    def test_without_an_api_it_counts(self, shipped):
        said = show()
        assert "1 of 2 APIs have valid calls" in said
        assert "1 relations: 1 give the same value" in said
        assert "2 known divergences: 1 bug, 1 false" in said

    def test_an_api_has_its_relations_and_divergences(self, shipped):
        said = show("torch.lcm")
        assert "torch.Tensor.lcm(input, other)  (40 inputs)" in said
        assert (
            "crash divergence of torch.lcm by value (judged a bug)\n  the smallest integer" in said
        )
        assert f"    print({LCM})  # SIGFPE" in said

    @pytest.mark.parametrize("name", ["lcm", "torch.lcm"])
    def test_the_librarys_name_may_be_left_out(self, name, shipped):
        assert show(name).startswith("torch.lcm ")

    def test_an_unknown_api_is_told_the_closest(self, shipped):
        with pytest.raises(UsageError, match=r"do you mean .*torch\.lcm"):
            show("torch.lcmm")

    def test_json_is_the_whole_table(self, shipped, tmp_path):
        show("--format", "json", "--output", tmp_path / "out" / "table.json")
        told = json.loads((tmp_path / "out" / "table.json").read_text())
        assert told["schema"] == "assayer-relations/1"
        assert told["relations"] == RELATIONS
        assert [each["judged"] for each in told["divergences"]] == ["bug", "false"]
        assert told["divergences"][0]["reproducer"][0] == "import torch"
        assert told["counts"]["apis"] == {"covered": 1, "random": 1}

    def test_json_of_an_api_is_its_part(self, shipped):
        told = json.loads(show("torch.rand", "--format", "json"))
        assert [each["status"] for each in told["apis"]] == ["random"]
        assert told["relations"] == []

    def test_a_version_without_a_table_is_wrong_usage(self, shipped):
        with pytest.raises(UsageError, match=r"no table of torch 0\.0\.9.*relations build"):
            run("show", "--version", "0.0.9")

    def test_a_broken_table_is_not_the_authors_fault(self, shipped):
        (shipped / "relations.jsonl").write_text('{"source": "torch.lcm", "x": 1}\n')
        table_folders.clear_caches()
        with pytest.raises(MachineError, match="cannot be read"):
            show("torch.lcm")


class TestBuild:
    def test_a_table_is_built_once(self, stand_in):
        first = run("build")
        assert "3 give the same value, 1 succeed and fail together" in first.stdout
        assert "verifying" in first.stderr
        second = run("build")
        assert "was built before (--again" in second.stdout
        assert second.stderr == ""
        assert "is built" in run("build", "--again", "--quiet").stdout

    def test_what_was_built_is_shown(self, stand_in):
        run("build", "--quiet")
        assert "torch.Tensor.abs(input)  (12 inputs)" in run("show", "torch.abs").stdout

    def test_json_says_where_it_lies(self, stand_in):
        told = json.loads(run("build", "--format", "json", "--quiet").stdout)
        assert len(told["relations"]) == 4
        assert Path(told["folder"], "relations.jsonl").is_file()
        assert (told["complete"], told["cached"], told["notes"]) == (True, False, ["a note"])

    def test_some_apis_are_printed_alone(self, stand_in):
        said = run("build", "--api", "torch.abs", "--quiet").stdout
        assert "torch.abs  value  torch.Tensor.abs(input)" in said
        assert "1 relation, not kept" in said

    def test_a_library_that_is_not_installed_says_how(self, tmp_path):
        python = tmp_path / "bin" / "python"
        python.parent.mkdir()
        shutil.copy(Path(sys.executable).resolve(), python)
        with pytest.raises(UsageError, match="pip install torch"):
            run("build", "--python", tmp_path)
        with pytest.raises(UsageError, match="no such interpreter"):
            run("build", "--python", tmp_path / "none")

    def test_an_unknown_library_is_told_the_known(self):
        with pytest.raises(UsageError, match="known are torch"):
            run("build", "--library", "pandas")


class TestFuzz:
    def test_each_divergence_comes_with_three_lines(self, stand_in):
        said = run("fuzz", "torch.lcm", "torch.abs", "--quiet").stdout
        assert "crash divergence of torch.lcm by value (not judged yet)" in said
        assert "    print(torch.lcm(torch.tensor([1.0])))  # SIGFPE" in said
        assert said.endswith("2 divergences\n")

    def test_what_was_judged_says_so_and_what_is_none_is_counted(self, stand_in, shipped):
        shutil.copytree(shipped, shipped.with_name("torch-2.13.0"))
        table_folders.clear_caches()
        said = run("fuzz", "--quiet").stdout
        assert "torch.lcm by value (judged a bug)\n  the smallest integer" in said
        assert "torch.relu" not in said
        assert "1 more that were judged to be none" in said

    def test_names_are_those_of_the_table(self, stand_in, shipped):
        shutil.copytree(shipped, shipped.with_name("torch-2.13.0"))
        table_folders.clear_caches()
        with pytest.raises(UsageError, match=r"do you mean torch\.lcm"):
            run("fuzz", "torch.lmc")

    def test_an_unknown_oracle_is_told_the_known(self):
        with pytest.raises(UsageError, match="there are value, reference"):
            run("fuzz", "--oracles", "value,tarot")

    def test_json_is_one_document(self, stand_in):
        told = json.loads(run("fuzz", "lcm", "torch.lcm", "--format", "json", "--quiet").stdout)
        assert [each["api"] for each in told["divergences"]] == ["torch.lcm"]
        assert told["notes"] == ["a note"]


class TestReal:
    @pytest.mark.slow
    def test_relations_of_torch_are_found_in_the_sandbox(self):
        asked = ("--api", "torch.special.expit", "--api", "torch.lcm", "--format", "json")
        told = run("build", *asked)
        assert "studying torch 2." in told.stderr
        found = json.loads(told.stdout)
        assert found["complete"]
        assert {row["name"]: row["status"] for row in found["apis"]} == dict.fromkeys(
            ("torch.special.expit", "torch.lcm"), "covered"
        )
        same = {row["template"] for row in found["relations"] if row["holds"] == "value"}
        assert {"torch.sigmoid(input)", "torch.Tensor.lcm_(input, other)"} <= same
        assert "torch.gcd(input, other)" not in same

    @pytest.mark.slow
    def test_a_study_whose_time_is_over_says_so(self):
        asked = ("--seconds", "1", "--quiet", "--format", "json")
        told = json.loads(run("build", *asked).stdout)
        assert (told["complete"], told["folder"], told["notes"]) == (False, None, [])
