"""A studied library that has taken its guest over ends its study, and neither worker nor table."""

import resource
import time
from dataclasses import replace
from pathlib import Path

import pytest

import worker.studies.library_study
from tests.worker.studies.guests.hostile.main import WAYS
from tests.worker.studies.told import DIVERGENCE, RELATION, progress
from worker.errors import MachineError
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.studies.library_study import study
from worker.studies.study_journal import StudyJournal
from worker.studies.study_protocol import MOST_ROWS, StudyResult, read_update

HOSTILE = GuestProgram(Path(__file__).parent / "guests" / "hostile", "_hostile_guest")
MIB = 1 << 20
UNTIL_ITS_TIME = {"progresses_without_end"}


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(worker.studies.library_study, "GRACE", 1.0)
    monkeypatch.setattr(worker.studies.library_study, "MOST_BYTES", 4 * MIB)
    monkeypatch.setattr(worker.studies.library_study, "MOST_FRUITLESS", 1)


def studied(way, order, site, tmp_path):
    """What comes of a study: the error of our own, or how it ended."""
    hostile = replace(site, program=HOSTILE, silence=2.0)
    seconds = 2.0 if way in UNTIL_ITS_TIME else 60.0
    with StudyJournal(tmp_path / "journal.jsonl", "a key") as journal:
        try:
            *_, last = study(order(way, seconds=seconds), hostile, journal)
        except MachineError as error:
            return str(error), journal.size
        return last, journal.size


@pytest.mark.parametrize("way", sorted(WAYS))
def test_hostile_library_ends_its_study_alone(way, order, site, tmp_path, short):
    """Within bounded time, memory and disk."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ended, size = studied(way, order, site, tmp_path)
    assert time.monotonic() - began < 120
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 400 * MIB
    assert size < 6 * MIB
    if way in UNTIL_ITS_TIME:
        assert ended == StudyResult("2.13.0+cpu", complete=False)
    else:
        assert "cannot be studied" in ended
        assert ended.replace("\n", " ").isprintable()


@pytest.mark.parametrize(
    "frame",
    [
        progress(done=-1),
        progress(done=1 << 60),
        progress(done=1.5),
        progress(stage=7),
        progress(stage="s" * 301),
        progress(more=1),
        progress(None),
        progress({}),
        progress(*[{"kind": "checked", "stage": "s", "name": "n"}] * (MOST_ROWS + 1)),
        progress({"kind": "recall", "said": "r" * 3_000}),
        progress({"kind": "recall", "at": [[]] * 3_000}),
        {"type": "studied", "version": "2.13.0+cpu", "notes": ["n" * 3_000]},
        {"type": "studied", "version": "2.13.0+cpu", "notes": ["n"] * 1_001},
        {"type": "studied", "version": "2.13.0+cpu", "notes": [], "complete": 1},
        {"type": "studied", "version": "2.13.0", "notes": []},
        {"type": ["studied"]},
        {},
    ],
)
def test_what_is_no_progress_is_refused(frame, order):
    with pytest.raises(BadFrame):
        read_update(frame, order())


@pytest.mark.parametrize(
    "changes",
    [
        {"call": "torch.abs(1)  # @all"},
        {"call": "torch.abs(\n1)"},
        {"call": "torch.abs('\u202e')"},
        {"call": "(torch.abs(1))"},
        {"call": "torch.abs(1); import os"},
        {"call": "numpy.abs(1)"},
        {"call": ""},
        {"api": "torch.abs and more"},
        {"api": "<b>torch</b>.abs"},
        {"api": "torch.abs\n"},
        {"related": "r" * 2_001},
        {"outcome": "o" * 10_000_000},
        {"outcome": None},
    ],
    ids=lambda changes: repr(changes)[:40],
)
def test_what_is_no_line_of_a_reproducer_is_refused(changes, order):
    with pytest.raises(BadFrame):
        read_update(progress(DIVERGENCE | changes), order(task="divergences"))


@pytest.mark.parametrize(
    "changes",
    [
        {"template": "torch.absolute(input)  # @all"},
        {"template": "torch.absolute(\ninput)"},
        {"source": "torch.abs(0)"},
        {"source": "torch.__builtins__", "template": "torch.absolute(\n)"},
    ],
    ids=lambda changes: repr(changes)[:40],
)
def test_what_is_no_template_is_refused(changes, order):
    with pytest.raises(BadFrame):
        read_update(progress(RELATION | changes), order())


@pytest.mark.parametrize(
    "row",
    [
        RELATION | {"target": "torch.load", "template": "torch.load(input)"},
        RELATION | {"target": "torch.os.system", "template": "torch.os.system(input)"},
        RELATION | {"target": "torch.vmap", "template": "torch.vmap(torch.os.remove)(input)"},
        DIVERGENCE | {"call": "torch.os.system('id')"},
        DIVERGENCE | {"call": "torch.vmap(torch.os.remove)('a')"},
        DIVERGENCE | {"related": "torch.hub.load(input)"},
    ],
    ids=lambda row: row.get("template", row.get("call")),
)
def test_what_does_more_than_compute_is_in_no_table(row, order):
    task = "relations" if row["kind"] == "relation" else "divergences"
    honest = RELATION if task == "relations" else DIVERGENCE
    assert read_update(progress(row, honest), order(task=task)).rows == (honest,)
