"""What a call writes to files is gone before the next."""

import pytest

from tests.analyzers.guest.guests import literal, probe


@pytest.mark.parametrize(
    ("function", "parameter", "value"),
    [("remember", "item", "1"), ("count", "name", "1"), ("restart", "word", "4")],
)
def test_files_of_a_run_are_undone(start, function, parameter, value):
    guest = start("stateful")
    assert guest.prepare("store.py", function)["type"] == "prepared"
    runs = guest.run(*[probe(**{parameter: literal("x")}) for _ in range(3)])
    runs += guest.run(probe(**{parameter: literal("y")}))
    assert [run["ending"].get("value") for run in runs] == [value] * 4
