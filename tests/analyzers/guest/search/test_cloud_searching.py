import sys
from collections.abc import Callable

import pytest

from tests.analyzers.guest.guests import GuestAtHand

Start = Callable[..., GuestAtHand]
# a search ends when it has reached everything; the limit is far from that
BUDGET = {"seed": 0, "mutation_seconds": 60.0, "symbolic_seconds": 0.0, "max_list": 2}


@pytest.mark.slow
@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize(
    "function", ["is_pet", "is_exit", "is_angry", "is_glad", "is_harmful", "is_spam"]
)
def test_search_reaches_both_branches(start: Start, bare_python: str, installed, function) -> None:
    guest = start("clouds", python=sys.executable if installed else bare_python)
    guest.prepare("searched.py", function)
    goals = [point for point in guest.points if f"::{function}#" in point]
    found = guest.search(goals=goals, **BUDGET)
    assert found["obstacle"] is None
    assert {witness["goal"] for witness in found["witnesses"]} == set(goals)
    assert all(witness["confirmed"] for witness in found["witnesses"])


@pytest.mark.parametrize(
    "function",
    [
        "is_smiling",
        "is_receipt",
        "is_person",
        "is_unsafe",
        "is_flame",
        "is_dog",
        "is_way_out",
        "is_stop",
    ],
)
def test_code_that_reads_all_of_an_answer_never_crashes(
    start: Start, bare_python: str, function
) -> None:
    guest = start("clouds", python=bare_python)
    guest.prepare("searched.py", function)
    goals = [point for point in guest.points if f"::{function}#" in point]
    found = guest.search(goals=goals, **BUDGET)
    assert found["obstacle"] is None
    assert found["crashes"] == []
    assert {witness["goal"] for witness in found["witnesses"]} == set(goals)
    assert all(witness["confirmed"] for witness in found["witnesses"])
