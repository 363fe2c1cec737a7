"""Code that works against its own exploration: it costs itself, and is blamed for nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzers.guest.inputs.exploration.exploration import read_report
from analyzers.guest.runtime.child_processes import InvalidReport, check_length
from tests.analyzers.guest.guests import PROJECTS, GuestAtHand

OF_ITS_PROCESS = ("garbles", "forges", "closes", "leaves", "breaks", "replaces", "traces")


@pytest.fixture
def explore(tmp_path: Path) -> Iterator[Any]:
    guest = GuestAtHand(tmp_path, PROJECTS / "explored")

    def explored(function: str, *ensures: str, requires: Any = (), seconds: float = 15.0) -> Any:
        assert guest.prepare("hostile.py", function)["type"] == "prepared"
        contract = {"arguments": {"n": "ints(min=0, max=20)"}, "requires": list(requires)}
        frame = {
            "contract": {**contract, "ensures": list(ensures), "constructor": None, "examples": []}
        }
        frame |= {"generators": {}, "first": [], "examples": 25, "seconds": seconds}
        frame |= {"timeout": 5.0, "seed": 0}
        guest._wire.send({"type": "explore", **frame, "layer": None})
        found = guest._received()
        ending = guest.ending(n={"kind": "made", "recipe": "1"})
        assert ending["kind"] == "returned", "the guest has to live on"
        return found

    yield explored
    guest.close()


@pytest.mark.parametrize("function", OF_ITS_PROCESS)
def test_code_that_breaks_its_process_costs_itself(explore: Any, function: str) -> None:
    found = explore(function)
    assert found["failures"] == []
    assert found["passed"] >= 1
    assert found["notes"]


def test_exception_that_cannot_be_told_is_told(explore: Any) -> None:
    (failure,) = explore("raises")["failures"]
    assert failure["ending"]["exception"].endswith("Odd")
    assert (failure["ending"]["message"], failure["ending"]["function"]) == ("", "raises")


def test_result_that_cannot_be_shown_is_a_result(explore: Any) -> None:
    assert explore("returns")["failures"] == []


@pytest.mark.parametrize("condition", ["repeatable()", "finite(result)"])
def test_our_own_words_blame_nobody_for_what_they_cannot_tell(explore: Any, condition: str) -> None:
    found = explore("returns_unequal", condition)
    assert (found["failures"], found["executions"]) == ([], 0)
    assert "cannot be told of this value" in found["obstacle"]


def test_code_that_kills_what_directs_it_met_a_limit(explore: Any) -> None:
    found = explore("kills")
    assert found["type"] == "limited"
    assert "ended by signal 9" in found["reason"]


def test_condition_that_never_tells_is_an_obstacle(explore: Any) -> None:
    found = explore("returns", requires=["any(n for _ in iter(int, 1))"], seconds=1.0)
    assert found["obstacle"] == "it takes too long to draw an input"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"3",
        b"[1]",
        b"{}",
        b"[" * 100_000,
        b'{"input": 3, "seed": 0, "outcome": {"kind": "returned"}}',
        b'{"input": "{}", "seed": 0, "outcome": {"kind": ["returned"]}}',
        b'{"input": "{}", "seed": 0, "outcome": {"kind": "failed", "key": [[], 1, 2, 3, 4]}}',
        b'{"input": "[]", "seed": 0, "outcome": {"kind": "returned"}}',
        b'{"health": {"drawn": 1, "rejected": "0", "by": {}}, "seed": 0}',
        b'{"matters": 3}',
        b'{"obstacle": null}',
        b'{"unmet": {"annotation": 1, "problem": ""}}',
    ],
)
def test_what_is_no_report_is_not_read(line: bytes) -> None:
    with pytest.raises(InvalidReport):
        read_report(line)


def test_line_without_end_is_not_kept() -> None:
    check_length(b"x" * 1000)
    with pytest.raises(InvalidReport):
        check_length(b"x" * (5 << 20))
