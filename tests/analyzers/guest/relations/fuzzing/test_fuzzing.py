import subprocess
import sys

import pytest

from analyzers.guest.relations.fuzzing.fuzz_campaign import fuzz
from analyzers.guest.relations.fuzzing.fuzz_findings import reproducer
from analyzers.guest.relations.fuzzing.fuzz_workers import FuzzSettings, FuzzSubject
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import parse_call

torch = pytest.importorskip("torch")

QUIET = FuzzSettings(inputs=60, oracles=("strides",), workers=1)


def subject(*texts):
    calls = tuple(parse_call(text, library("torch")) for text in texts)
    return FuzzSubject(calls[0].api, calls)


@pytest.fixture(scope="module")
def found():
    subjects = [
        subject("torch.lcm(torch.tensor([6, 4]), torch.tensor([4, 3]))"),
        subject("torch.neg(torch.tensor([6.0, 4.0]))"),
    ]
    return {each.api: each for each in fuzz(subjects, library("torch"), QUIET)}


def test_a_call_that_kills_the_process_is_found_and_made_small(found):
    (row,) = [row for row in found["torch.lcm"].rows if row["rule"] == "crash"]
    assert row["outcome"] == "SIGFPE"
    assert len(row["call"]) < 80
    assert "-9223372036854775808" in row["call"]


def test_what_comes_after_a_death_is_tried_too(found):
    assert found["torch.lcm"].executions > 0


def test_an_api_that_does_as_it_should_has_no_rows(found):
    assert found["torch.neg"].rows == ()
    assert found["torch.neg"].executions >= 20


def test_the_reproducer_of_a_death_dies_of_the_same_signal(found):
    (row,) = [row for row in found["torch.lcm"].rows if row["rule"] == "crash"]
    text = reproducer(row, library("torch"))
    assert len(text.splitlines()) == 3
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    assert ended.returncode == -8


def test_the_reproducer_binds_the_related_call():
    row = {
        "api": "torch.add",
        "relation": "value",
        "related": "torch.sub(input, other)",
        "call": "torch.add(torch.tensor([nan]), torch.tensor([2.0]))",
        "outcome": "tensor([nan])",
        "expected": "tensor([-2.])",
    }
    lines = reproducer(row, library("torch")).splitlines()
    assert lines[1].startswith(
        "print(torch.add(torch.tensor([float('nan')]), torch.tensor([2.0])))"
    )
    assert lines[2].startswith(
        "print(torch.sub(torch.tensor([float('nan')]), torch.tensor([2.0])))"
    )


def test_a_wrong_kernel_is_found_by_its_reference_and_made_small(monkeypatch):
    right = torch.clamp

    def wrong(input, min=None, max=None):  # noqa: A002 - as torch names it
        made = right(input, min, max)
        return torch.where(made == 2.0, made + 1, made)

    known = library("torch")
    monkeypatch.setattr(type(known), "function", lambda self, name: wrong)
    text = "torch.clamp(torch.tensor([[0.5, 2.0, -1.5], [4.0, 2.0, 0.0]]), -1.0, 3.0)"
    settings = FuzzSettings(inputs=20, oracles=("reference",), workers=1)
    (result,) = fuzz([FuzzSubject("torch.clamp", (parse_call(text, known),))], known, settings)
    rows = [row for row in result.rows if row["relation"] == "reference"]
    assert rows
    assert min(len(row["call"]) for row in rows) < len(text)
    assert "2" in rows[0]["call"]
