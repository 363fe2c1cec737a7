"""Thresholds: the line between two kinds of texts, and how a condition reads with it."""

import random

import pytest

from analyzers.cloud.repairs.linear_conditions import AnswerNumbers, SeparatingLine, separated
from analyzers.guest.instrumentation.goals import decisions
from tests.analyzers.cloud.test_repair import applied

FIELDS = ("score", "magnitude", "Positive", "Negative")
JOY = SeparatingLine((), 0.2, above=True)
GRIEF = SeparatingLine((), -0.2, above=False)
BOTH = SeparatingLine((0.15,), 0.1, above=True)


def rewritten(condition, names, line, *, strict=False, before="score, magnitude = ask()"):
    """The condition of an ``if`` with the line in its place."""
    source = f"def check(x):\n    {before}\n    if {condition}:\n        return 1\n"
    edit = AnswerNumbers(source, decisions(source)[0], FIELDS).rewritten(names, line, strict=strict)
    if edit is None:
        return None
    return applied(source, edit).splitlines()[2].strip().removeprefix("if ").removesuffix(":")


@pytest.mark.parametrize(
    ("condition", "names", "line", "strict", "expected"),
    [
        ("score > -0.9", ["score"], JOY, True, "score > 0.2"),
        ("score >= .1", ["score"], JOY, False, "score >= 0.2"),
        ("0.9 > score", ["score"], GRIEF, True, "-0.2 > score"),
        ("score < 0.9", ["score"], GRIEF, True, "score < -0.2"),
        ("x.score > -0.9", ["score"], JOY, True, "x.score > 0.2"),
        (
            "x['score'] > 0",
            ["score", "magnitude"],
            BOTH,
            True,
            "x['score'] + 0.15 * x['magnitude'] > 0.1",
        ),
        ("sentiment_score > 0", ["score"], JOY, True, "sentiment_score > 0.2"),
        ("score > -0.9", ["score", "magnitude"], BOTH, True, "score + 0.15 * magnitude > 0.1"),
        ("x.a.magnitude > 1", ["score"], JOY, False, "x.a.score >= 0.2"),
        ('x["Positive"] > 0.01', ["Positive"], JOY, True, 'x["Positive"] > 0.2'),
        ("score > -1 and magnitude > 0", ["score"], JOY, True, "score > 0.2"),
        ("score > -1 or magnitude > 0", ["score"], JOY, True, "score > 0.2"),
        ("score > LIMIT", ["score"], JOY, True, None),
        ("score > -1 and x.ready", ["score"], JOY, True, None),
        ("score > -1 and not magnitude > 0", ["score"], JOY, True, None),
        ("round(score) > 0", ["score"], JOY, True, None),
        ("score == 0.5", ["score"], JOY, True, None),
        ("-1 < score < 0", ["score"], JOY, True, None),
    ],
)
def test_condition_is_rewritten_where_it_compares_numbers_only(
    condition, names, line, strict, expected
):
    assert rewritten(condition, tuple(names), line, strict=strict) == expected


def test_number_that_the_code_does_not_have_is_not_made_up():
    alone = "score = ask()"
    names = ("score", "magnitude")
    assert rewritten("score > -0.9", names, BOTH, strict=True, before=alone) is None
    assert rewritten("score > -0.9", ("score",), JOY, strict=True, before=alone) == "score > 0.2"


def test_formula_names_what_the_code_compares():
    source = "def check(x):\n    if x.score > LIMIT:\n        return 1\n"
    numbers = AnswerNumbers(source, decisions(source)[0], FIELDS)
    assert numbers.reads(("score",), JOY, strict=True) == "x.score > 0.2"
    assert numbers.reads(("score", "magnitude"), BOTH, strict=False) == (
        "x.score + 0.15 * x.magnitude >= 0.1"
    )


def test_classes_apart_get_a_short_line_between_them():
    points = [(0.1,), (0.3,), (0.9,), (-0.6,), (-0.1,), (-0.3,)]
    line = separated(points, [True] * 3 + [False] * 3, strict=True)
    assert line is not None
    assert line.above
    assert line.accuracy(points, [True] * 3 + [False] * 3, strict=True) == 6
    assert line.limit == round(line.limit, 1)


def test_line_is_turned_with_its_class():
    points = [(0.1,), (0.3,), (0.9,), (-0.6,), (-0.1,), (-0.3,)]
    line = separated(points, [False] * 3 + [True] * 3, strict=True)
    assert line is not None
    assert not line.above


def test_number_without_a_say_gets_no_line():
    assert separated([(0.5,)] * 8, [True, False] * 4, strict=True) is None


def test_rounding_keeps_what_the_line_gets_right():
    chances = random.Random(3)
    classes = [True, False] * 20
    points = [
        (chances.gauss(0.02 if wanted else -0.02, 0.02), chances.random()) for wanted in classes
    ]
    line = separated(points, classes, strict=False)
    assert line is not None
    assert line.accuracy(points, classes, strict=False) >= 32


@pytest.mark.parametrize(("strict", "holds"), [(True, False), (False, True)])
def test_limit_itself_is_in_where_the_operator_says_so(strict, holds):
    assert JOY.holds((0.2,), strict=strict) is holds
    assert GRIEF.holds((-0.2,), strict=strict) is holds
