"""Docstrings tell kinds, defaults, ranges and choices; a noun alone is not firm."""

import pytest

from benchmarks.layers_survey import described_ranges


class DocumentedLayer:
    r"""Applies a thing. It is a :class:`Thing` of things.

    Args:
        size (int or tuple): Number of channels. Default: 3
        p: probability of an element to be zeroed. Default: 0.5
        mode (str, optional): ``'sum'`` or ``'mean'``, which
            is told on a second line: ``'max'``. Default: ``'sum'``
        delta (float): the threshold.
            The value must be positive. More words.

    Shape:
        - Input: anything
    """


def test_first_sentence_describes():
    assert described_ranges.described(DocumentedLayer) == "Applies a thing."


def test_entries_go_over_lines_and_end_with_their_section():
    told = described_ranges.entries(DocumentedLayer)
    assert list(told) == ["size", "p", "mode", "delta"]
    assert told["delta"][1].endswith("The value must be positive. More words.")
    assert described_ranges.choices(told["mode"][1]) == ("'sum'", "'mean'", "'max'")


def test_kinds_are_read_from_brackets_or_words():
    told = described_ranges.entries(DocumentedLayer)
    assert described_ranges.kinds(*told["size"]) == ("int", "ints")
    assert described_ranges.kinds(*told["p"]) == ("float",)
    assert described_ranges.kinds("", "Total dimension of the model.") == ("int",)
    assert described_ranges.kinds("", "If ``True``, adds a bias") == ("bool",)


@pytest.mark.parametrize(
    ("text", "numeric", "ends"),
    [
        ("A float in [0.0, 1.0]. Words", "float", (0, 1, False, False)),
        ("a number in the range (0, 1).", "float", (0, 1, True, True)),
        ("Should be a number from :math:`-1` to :math:`1`,", "float", (-1, 1, False, False)),
        ("The value must be positive.", "float", (0, None, True, False)),
        ("The value must be positive.", "int", (1, None, False, False)),
        ("The value must be non-negative.", "float", (0, None, False, False)),
        ("dropout probability equal to x", "float", (0, 1, False, False)),
    ],
)
def test_range_phrases(text, numeric, ends):
    found = described_ranges.bounds(text, numeric)
    assert (found.low, found.high, found.open_low, found.open_high) == ends
    assert found.firm
    assert found.quote


def test_nouns_are_not_firm_and_say_nothing_of_floats():
    assert described_ranges.bounds("Number of layers", "int").firm is False
    assert described_ranges.bounds("Number of layers", "float") is None
    assert described_ranges.bounds("a dimension along which", "int") is None


def test_the_quote_is_the_sentence():
    text = "Words before. The value must be positive. Words behind."
    assert described_ranges.bounds(text, "float").quote == "The value must be positive."


def test_only_supported_values_are_choices():
    text = "Has a default. :math:`1` and :math:`2` are the only supported values."
    assert described_ranges.bounds(text, "int").choices == ("1", "2")
