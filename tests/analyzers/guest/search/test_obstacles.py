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


def test_reason_names_the_error_behind_one_that_the_code_raises() -> None:
    code = """
        class Refused(Exception): pass
        def f(text):
            try:
                {}['name']
            except KeyError:
                raise Refused('sorry')
            return mood(text)
        """
    obstacle = find_entry(target(code), []).obstacle or ""
    assert "raised" in obstacle
    assert "(sorry) at app.py:7 after KeyError ('name') at app.py:5, before" in obstacle


def test_reason_is_that_of_the_call_which_came_furthest() -> None:
    code = """
        def f(api):
            if api.kind != 'new':
                return None
            print(api.number == 1)
            raise LookupError('nothing of the kind')
        """
    obstacle = find_entry(target(code), []).obstacle or ""
    assert "LookupError" in obstacle
