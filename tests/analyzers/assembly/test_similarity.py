"""How alike layers are, and chances in proportion."""

import random
from collections import Counter

import pytest

from analyzers.assembly.layer_tables import (
    LayerApi,
    LayerParameter,
    Similarity,
    roulette_choice,
    word_correctness,
)
from tests.analyzers.assembly.layers import APIS


def typed(*kinds):
    return [LayerParameter(f"{number}{kind}", (kind,)) for number, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "rate"),
    [
        ("int int", "int int", 1.0),
        ("int float", "int", 0.5),
        ("int", "int bool str", 1.0),
        ("int bool float str", "int float", 0.5),
        ("int", "bool", 0.0),
        ("", "int", 0.0),
        ("", "", 1.0),
    ],
)
def test_word_correctness_counts_what_an_edit_keeps(reference, hypothesis, rate):
    assert word_correctness(typed(*reference.split()), typed(*hypothesis.split())) == rate


def test_an_api_is_most_like_its_own_kind():
    row = dict(Similarity(APIS).row("torch.nn.ReLU"))
    assert max(row, key=row.__getitem__) == "torch.nn.ReLU6"
    assert row["torch.nn.ReLU6"] > row["torch.nn.Conv2d"]


def test_the_same_definition_and_parameters_are_fully_alike():
    one = LayerApi("torch.nn.A", tuple(typed("int")), "Does what it does.")
    other = LayerApi("torch.nn.A", tuple(typed("int")), "Does what it does.")
    assert Similarity({"a": one, "b": other}).of("a", "b") == pytest.approx(1.0)


def test_chances_are_in_proportion_to_weights():
    rng = random.Random(3)
    counts = Counter(
        roulette_choice([("a", 3.0), ("b", 1.0), ("c", 0.0)], rng) for _ in range(4000)
    )
    assert counts["c"] == 0
    assert 2.6 < counts["a"] / counts["b"] < 3.4


def test_nothing_is_chosen_where_nothing_weighs():
    assert roulette_choice([("a", 0.0)], random.Random(0)) is None
    assert roulette_choice([], random.Random(0)) is None
