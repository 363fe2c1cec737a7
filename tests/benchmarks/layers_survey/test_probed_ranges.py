"""Ranges and constraints follow from what came of trying, where it tells them exactly."""

from benchmarks.layers_survey import probed_ranges
from benchmarks.layers_survey.survey_models import Outcome

FINE = Outcome()
REFUSED = Outcome("forward", "ValueError: no")
UNMADE = Outcome("construction", "ValueError: no")
NAN = Outcome(signs=("NaN",))


def bounds(outcomes, anchor, whole=False):
    found = probed_ranges.line(outcomes, anchor, whole=whole)
    return found and probed_ranges.bounds(found)


def floats(bad, outcome=NAN):
    grid = (-1.0, -0.001, 0.0, 0.001, 0.5, 1.0, 1.001, 2.0)
    return {str(value): outcome if bad(value) else FINE for value in grid}


def test_closed_and_open_ends():
    closed = bounds(floats(lambda value: not 0 <= value <= 1), 0.5)
    assert (closed.low, closed.high, closed.open_low, closed.open_high) == (0, 1, False, False)
    assert (closed.said_by, closed.quote) == ("probing", "NaN")
    opened = bounds(floats(lambda value: value <= 0, REFUSED), 0.5)
    assert (opened.low, opened.open_low, opened.high) == (0, True, None)
    assert opened.quote == "ValueError: no"


def test_an_island_of_bad_values_is_no_range():
    assert bounds(floats(lambda value: value == 0), 0.5) is None
    assert bounds(floats(lambda _: True), 0.5) is None


def test_soft_signs_set_no_range():
    negative = Outcome(signs=("negative loss",))
    assert bounds(floats(lambda value: value < 0, negative), 0.5) is None


def test_a_count_that_the_input_fixes_is_judged_by_the_constructor():
    outcomes = {str(value): FINE if value == 4 else REFUSED for value in range(7)}
    outcomes["-1"] = UNMADE
    assert probed_ranges.tied(outcomes, 4.0)
    assert bounds(outcomes, 4.0, whole=True).low == 0


def test_a_default_of_zero_is_not_tied():
    outcomes = {str(value): FINE if value == 0 else REFUSED for value in range(-1, 5)}
    assert not probed_ranges.tied(outcomes, 0.0)
    assert bounds(outcomes, 0.0, whole=True).low == 0


def pairs(holds):
    return [(a, b, holds(a, b)) for a in (1, 2, 3, 4, 6) for b in (1, 2, 3, 4, 6)]


def test_the_template_that_tells_all_pairs_is_the_constraint():
    assert probed_ranges.constraint("c", "g", pairs(lambda a, b: a % b == 0)) == "c % g == 0"
    assert probed_ranges.constraint("p", "k", pairs(lambda a, b: a * 2 <= b)) == "p * 2 <= k"
    assert probed_ranges.constraint("p", "k", pairs(lambda a, b: a + b < 7)) is None
    assert probed_ranges.constraint("p", "k", pairs(lambda a, b: True)) is None


def test_less_than_either_is_less_than_the_greater():
    assert probed_ranges.merged(["o < d", "o < s", "a <= b"]) == ("a <= b", "o < max(d, s)")
    assert probed_ranges.merged(["o < d"]) == ("o < d",)
