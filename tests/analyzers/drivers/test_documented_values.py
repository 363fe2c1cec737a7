"""Values that hints, docstrings and guards of a project name."""

import pytest

from analyzers.drivers.definitions import Definitions
from analyzers.drivers.documented_values import DocumentedValues

CODE = '''
from typing import Literal, Optional

class Curve:
    """A curve.

    Args:
        norm: how it is normalised (`"unit"`, `"none"`)
        rate (float): a rate between 0 and 1
        name: a name such as "x"
    """

    def __init__(
        self,
        average: Optional[Literal["micro", "macro"]] = None,
        score: Optional[bool] = None,
        flag=False,
        norm: str = "unit",
        window: int = 8,
        rate: float = 0.5,
        name: str = "x",
        size: int = 4,
        **kwargs,
    ):
        if not isinstance(window, int) or window < 1:
            raise ValueError("window")
        if not (size < 9):
            raise ValueError("size")
'''


@pytest.fixture(scope="module")
def documented():
    texts = {"curve.py": CODE}
    definitions = Definitions.of(texts)
    found = definitions.parameters(definitions.classes["Curve"])
    values = DocumentedValues(definitions, texts)
    return values, {each.name: each for each in found}


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("average", "'micro'", True),
        ("average", "'none'", False),
        ("average", "None", True),
        ("score", "True", True),
        ("flag", "True", True),
        ("flag", "None", False),
        ("norm", "'none'", True),
        ("norm", "'other'", False),
        ("name", "'y'", False),
        ("window", "1", True),
        ("window", "0", False),
        ("rate", "1.0", True),
        ("rate", "2.0", False),
        ("name", "torch.ones(2)", False),
    ],
)
def test_value_is_named(documented, name, text, named):
    values, parameters = documented
    assert values.has(parameters[name], text) is named


def test_words_in_quotes_are_choices_where_there_are_several(documented):
    values, parameters = documented
    assert values.choices(parameters["norm"]) == ["'none'", "'unit'"]
    assert values.choices(parameters["name"]) == []
