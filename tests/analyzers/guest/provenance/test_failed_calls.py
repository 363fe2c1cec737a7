"""A search that never comes to a question says which error of the code's own stopped it."""

from collections.abc import Callable

import pytest

from tests.analyzers.guest.guests import GuestAtHand

Start = Callable[..., GuestAtHand]
BUDGET = {"seed": 0, "mutation_seconds": 1.0, "symbolic_seconds": 0.0, "max_list": 2}


@pytest.mark.parametrize(("function", "origins"), [("looks_up", ["code"]), ("takes_apart", [])])
def test_own_error_before_asking_is_handed_out(start: Start, function, origins) -> None:
    guest = start("rough")
    assert guest.prepare("own_errors.py", function)["type"] == "prepared"
    found = guest.search(goals=[], **BUDGET)
    assert found["obstacle"].startswith("raised KeyError")
    assert [crash["ending"]["origin"] for crash in found["crashes"]] == origins
    assert all(crash["script"] == [] for crash in found["crashes"])
