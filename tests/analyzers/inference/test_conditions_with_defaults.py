"""What is left of a condition where parameters keep their defaults."""

import ast

import pytest

from analyzers.inference.function_contracts import with_defaults


def defaults(**values):
    return {name: ast.parse(repr(value), mode="eval").body for name, value in values.items()}


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("dilations is None or len(dilations) == len(channels)", None),
        ("not (dilations is not None and n < 2)", None),
        ("dilations is not None or n > 2", "n > 2"),
        ("n % groups == 0", "n % 2 == 0"),
        ("n % groups == 0 and (dilations is None)", "n % 2 == 0"),
        ("other is None or n > other", "other is None or n > other"),
        ("groups is None or n > 1", "n > 1"),
    ],
)
def test_what_defaults_leave_of_a_condition(condition, left):
    assert with_defaults(condition, defaults(dilations=None, groups=2)) == left


def test_defaults_that_are_no_constants_stay_names():
    assert with_defaults("n > size", {"size": ast.parse("len(x)", mode="eval").body}) == "n > size"
