"""Code that asks nothing is told with the guard, the missing value and the swallowed error."""

import pytest

from analyzers.guest.search.input_entry import find_entry
from tests.analyzers.guest.search.targets import target

REASONS = {
    "at app.py:4 because `TOKEN` is empty": """
        TOKEN = ''
        def f(text):
            if not TOKEN: return None
            return mood(text)
        """,
    "at app.py:4 because `rows` is empty": """
        def f(text):
            rows = []
            for row in rows:
                mood(text)
        """,
    "at app.py:4 because `number > 3` does not hold": """
        def f(text):
            number = 2
            if number > 3:
                mood(text)
        """,
    "ValueError (no such thing) at app.py:4 was swallowed": """
        def f(text):
            try:
                raise ValueError('no such thing')
                return mood(text)
            except ValueError:
                return None
        """,
}


@pytest.mark.parametrize("reason", REASONS)
def test_reason_names_what_stopped_the_call(reason: str) -> None:
    entry = find_entry(target(REASONS[reason]), [])
    assert entry.arguments is None
    obstacle = entry.obstacle or ""
    assert obstacle.startswith("returned before it called the API")
    assert reason in obstacle
