"""A table is built once, kept whole, and found by its library and version."""

import subprocess
import sys

import pytest

from analyzers.relations import table_folders
from analyzers.relations.relation_tables import table
from worker.errors import MachineError
from worker.studies.library_study import BuiltTable, build, cached_table, fuzz, relation_rows
from worker.studies.study_journal import folder, use_built_tables
from worker.studies.study_protocol import StudyUpdate


@pytest.fixture(autouse=True)
def _tables(state):
    use_built_tables()
    yield
    table_folders.remove(folder() / "tables")


def built(order, site, **how):
    *told, last = build(order, site, **how)
    assert all(isinstance(each, StudyUpdate) for each in told)
    assert isinstance(last, BuiltTable)
    return last


def test_a_built_table_is_found_by_its_version(order, site):
    made = built(order(), site)
    found = table("torch", "2.13.0+cpu")
    assert made.shelf.folder.is_dir()
    assert [each.template for each in found.equivalences(["torch.abs"])] == [
        "torch.Tensor.abs(input)"
    ]
    assert found.counts()["relations"] == {"value": 3, "status": 1}
    assert not found.is_shipped
    assert found.about["covered"] == 4


def test_a_second_build_is_there_at_once(order, site):
    assert cached_table(order()) is None
    built(order(), site)
    assert cached_table(order()).cached
    assert cached_table(order(inputs=50)).cached
    assert cached_table(order(inputs=500)) is None
    assert cached_table(order(version="2.14.0")) is None


def test_a_table_of_some_apis_replaces_none(order, site):
    built(order(), site)
    part = built(order(apis=("torch.abs",)), site)
    assert part.shelf is None
    assert [row["source"] for row in part.relations] == ["torch.abs"]
    assert len(table("torch", "2.13.0+cpu").names) == 4
    assert cached_table(order(apis=("torch.abs",))) is None


def test_an_unfinished_study_goes_on(order, site):
    part = built(order("late"), site)
    assert not part.complete
    assert part.shelf is None
    assert table("torch", "2.13.0+cpu") is None
    *told, last = build(order("late"), site)
    assert told == []
    assert len(last.relations) == 4
    assert [each.done for each in list(build(order("late"), site, anew=True))[:-1]] == [1, 2, 3, 4]


def test_an_interrupted_study_goes_on(order, site):
    studies = build(order("dies"), site)
    next(studies)
    studies.close()
    *told, last = build(order("dies"), site)
    assert [each.done for each in told] == [2, 3, 4]
    assert len(last.relations) == 4


BUILD = """
import sys
from pathlib import Path
from worker.studies.library_study import StudySandbox, build
from worker.studies.study_protocol import StudyRequest
from worker.sandbox.isolation import find_isolation
from worker.sandbox.guest_launch import GuestProgram
program = GuestProgram(Path(sys.argv[1]), "_studious_guest")
order = StudyRequest("torch", "2.13.0+cpu", "relations", seconds=60, oracles=("waits",))
for event in build(order, StudySandbox(find_isolation(), Path(sys.executable), program=program)):
    print(event.done, flush=True)
"""


def test_a_build_goes_on_whose_process_was_killed(order, site):
    program = [sys.executable, "-c", BUILD, str(site.program.folder)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "1\n"
        assert process.stdout.readline() == "2\n"
        process.kill()
    assert table("torch", "2.13.0+cpu") is None
    *told, last = build(order("waits"), site)
    assert [each.done for each in told] == [3, 4]
    assert len(last.relations) == 4
    assert table("torch", "2.13.0+cpu").counts()["relations"] == {"value": 3, "status": 1}


def test_relations_of_what_is_random_are_left_out(order, site):
    made = built(order("random"), site)
    assert {row["status"] for row in made.apis} == {"covered", "random"}
    assert [row["source"] for row in made.relations] == ["torch.abs", "torch.add", "torch.lcm"]


def test_a_study_that_failed_leaves_the_table_as_it_was(order, site):
    built(order(), site)
    with pytest.raises(MachineError):
        built(order("dies-at-once"), site)
    assert cached_table(order()).cached


def test_divergences_come_once_each(order, site):
    found = [
        each.api for each in fuzz(order("dies", task="divergences"), site) if hasattr(each, "api")
    ]
    assert found == ["torch.abs", "torch.add", "torch.lcm", "torch.relu"]


def test_relations_of_the_table_go_with_the_order(order, site):
    built(order(), site)
    rows = relation_rows(table("torch", "2.13.0"), ()) or relation_rows(
        table("torch", "2.13.0+cpu"), ("torch.lcm",)
    )
    assert rows == (
        {
            "source": "torch.lcm",
            "target": "torch.Tensor.lcm",
            "template": "torch.Tensor.lcm(input)",
            "holds": "status",
            "inputs": 12,
        },
    )
