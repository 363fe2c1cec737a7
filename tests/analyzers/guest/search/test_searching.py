from collections.abc import Callable

import pytest

from tests.analyzers.guest.guests import GuestAtHand, probe

Start = Callable[..., GuestAtHand]
BUDGET = {"seed": 0, "mutation_seconds": 0.3, "symbolic_seconds": 0.0, "max_list": 2}


def test_search_finds_witness_through_the_wire(start: Start, bare_python: str) -> None:
    guest = start("sdk", python=bare_python)
    guest.prepare("new.py", "classify")
    goals = [point for point in guest.points if "::classify#1" in point]
    found = guest.search(goals=goals, **BUDGET)
    assert found["type"] == "searched"
    assert {witness["goal"] for witness in found["witnesses"]} == set(goals)


def test_leaving_under_search_is_an_obstacle(start: Start, bare_python: str) -> None:
    guest = start("rough", python=bare_python)
    guest.prepare("ends.py", "leave_always")
    found = guest.search(goals=[], **BUDGET)
    assert found["witnesses"] == []
    assert "the code ended its own process" in found["obstacle"]
    assert guest.run(probe()) == [{"died": 0}]


def test_signal_under_search_is_no_result(start: Start, bare_python: str) -> None:
    guest = start("rough", python=bare_python)
    guest.prepare("ends.py", "segfault_always")
    found = guest.search(goals=[], **BUDGET)
    assert (found["type"], "signal 11" in found["reason"]) == ("limited", True)
    assert guest.run(probe()) == [{"died": 11}]


def test_own_failing_search_ends_the_guest(start: Start, bare_python: str) -> None:
    guest = start("sdk", python=bare_python)
    guest.prepare("new.py", "classify")
    with pytest.raises(AssertionError, match="without a result"):
        guest.search(goals=[], **{**BUDGET, "seed": []})
