"""What a study has found outlives its process, whole rows alone."""

import pytest

from worker.errors import MachineError
from worker.studies.study_journal import StudyJournal

ROWS = [
    {"kind": "relation", "source": "torch.abs"},
    {"kind": "checked", "stage": "matching", "name": "torch.abs"},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "here" / "journal.jsonl"
    with StudyJournal(path, "key") as journal:
        journal.add(ROWS)
    return path


def test_rows_are_read_again(path):
    with StudyJournal(path, "key") as journal:
        assert list(journal.of("relation")) == [{"source": "torch.abs"}]
        assert journal.done == {"matching": ["torch.abs"]}


def test_a_row_that_was_cut_off_is_forgotten(path):
    path.write_bytes(path.read_bytes() + b'{"kind": "relation", "sou')
    with StudyJournal(path, "key") as journal:
        assert len(journal.rows) == 1
        journal.add([{"kind": "checked", "stage": "matching", "name": "torch.add"}])
    with StudyJournal(path, "key") as journal:
        assert journal.done == {"matching": ["torch.abs", "torch.add"]}


def test_rows_of_another_study_are_thrown_away(path):
    with StudyJournal(path, "another") as journal:
        assert not journal.rows
        assert not journal.done


def test_what_is_done_twice_is_kept_once(path):
    with StudyJournal(path, "key") as journal:
        journal.add(ROWS[1:])
        assert journal.checked == 1
    assert path.read_text().count("checked") == 1


def test_one_process_writes_it(path):
    with StudyJournal(path, "key"), pytest.raises(MachineError, match="Another process"):
        StudyJournal(path, "key")


def test_anew_is_without_what_was_found(path):
    with StudyJournal(path, "key") as journal:
        journal.begin_anew()
    with StudyJournal(path, "key") as journal:
        assert not journal.rows
