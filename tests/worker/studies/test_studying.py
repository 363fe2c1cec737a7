"""Studies go on where a guest ended, and believe nothing that is not a row of a table."""

import json
from dataclasses import replace

import pytest

from tests.worker.studies.told import DIVERGENCE, RELATION, progress
from worker.errors import MachineError
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.studies.library_study import study
from worker.studies.study_journal import StudyJournal
from worker.studies.study_protocol import StudyResult, StudyUpdate, read_update

API = {"kind": "api", "name": "torch.abs", "parameters": ["x"], "calls": 1, "status": "covered"}
APIS = ["torch.abs", "torch.add", "torch.lcm", "torch.relu"]


@pytest.fixture
def journal(tmp_path):
    with StudyJournal(tmp_path / "journal.jsonl", "a key") as journal:
        yield journal


def test_what_is_heard_is_kept(order, site, journal):
    *told, last = study(order(), site, journal)
    assert all(isinstance(each, StudyUpdate) for each in told)
    assert last == StudyResult("2.13.0+cpu", ("a note",))
    assert journal.done == {"verifying": APIS}
    assert [row["source"] for row in journal.of("relation")] == APIS


def test_a_guest_that_dies_is_followed_by_one_that_goes_on(order, site, journal):
    *told, last = study(order("dies"), site, journal)
    assert last.complete
    assert [each.done for each in told] == [1, 2, 3, 4]
    assert [row["source"] for row in journal.of("relation")] == APIS


@pytest.mark.slow
def test_a_silent_guest_is_followed_by_another_and_given_up(order, site, journal):
    heard = []
    with pytest.raises(MachineError, match="no whole frame in time"):
        heard.extend(study(order("hangs"), replace(site, silence=1), journal))
    assert journal.done == {"verifying": APIS[:2]}


def test_guests_that_get_nowhere_are_our_failure(order, site, journal):
    with pytest.raises(MachineError, match="a library that cannot be loaded"):
        list(study(order("dies-at-once"), site, journal))


def test_a_study_without_time_ends_incomplete(order, site, journal):
    assert not list(study(order("late"), site, journal))[-1].complete


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "table"},
        RELATION | {"more": 1},
        RELATION | {"inputs": -1},
        RELATION | {"holds": "sometimes"},
        RELATION | {"source": "os.system"},
        RELATION | {"template": "torch.absolute(input"},
        RELATION | {"template": "torch.neg(input)"},
        RELATION | {"template": "torch.absolute(open('/etc/passwd'))"},
        RELATION | {"template": "torch.absolute(lambda: input)"},
        RELATION | {"template": "torch.absolute(input.__class__)"},
        DIVERGENCE,
        {
            "kind": "api",
            "name": "torch.abs",
            "parameters": ["a b"],
            "calls": 1,
            "status": "covered",
        },
        {"kind": "api", "name": "torch.abs", "parameters": [], "calls": 1, "status": "lost"},
        {"kind": "checked", "stage": "verifying", "name": 3},
    ],
    ids=lambda row: json.dumps(row)[:60],
)
def test_what_is_no_row_of_a_table_is_refused(row, order):
    with pytest.raises(BadFrame):
        read_update(progress(row), order())


@pytest.mark.parametrize("call", ["os.system('rm')", "torch.abs(os.path)", "torch.abs(1) or 2"])
def test_a_call_of_something_else_is_refused(call, order):
    with pytest.raises(BadFrame):
        read_update(progress(DIVERGENCE | {"call": call}), order(task="divergences"))


def test_what_is_refused_ends_the_study_and_is_kept_nowhere(order, site, journal):
    with pytest.raises(MachineError, match="broke the protocol"):
        list(study(order(json.dumps(RELATION | {"more": 1})), site, journal))
    assert not journal.rows


def test_another_version_than_was_meant_ends_the_study(order, site, journal):
    with pytest.raises(MachineError, match="not 2"):
        list(study(order("other"), site, journal))
