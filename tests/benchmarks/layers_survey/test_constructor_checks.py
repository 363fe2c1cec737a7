"""A layer's own checks are read from its code: its raises, asserts, and those it calls."""

import pytest
import torch

from benchmarks.layers_survey import constructor_checks

NAMES = {"size", "p", "groups", "mode"}


class Base:
    def __init__(self, size, p=0.5, groups=1, mode="sum"):
        if size % groups != 0:
            raise ValueError("size must be divisible")
        if p < 0 or not p <= 1:
            raise ValueError("p")
        self.size, self.p = size, p


class Layer(Base):
    def __init__(self, size, p=0.5, groups=1, mode="sum"):
        super().__init__(size, p, groups, mode)
        assert 0 < size < 9
        if mode == "sum":
            groups = min(groups, 50)
            if groups > 3:
                raise ValueError("only for this mode")
        if groups > 99:
            groups = 99


def conditions(layer):
    return constructor_checks.conditions(layer, NAMES)


def test_bounds_of_a_class_and_its_bases_meet():
    found = constructor_checks.ranges(conditions(Layer))
    size, p = found["size"], found["p"]
    assert (size.low, size.high, size.open_low, size.open_high) == (0, 9, True, True)
    assert (p.low, p.high, p.open_low, p.open_high) == (0, 1, False, False)
    assert p.said_by == "code"
    assert p.quote == "p >= 0 and p <= 1"


def test_checks_under_another_condition_say_nothing():
    assert "groups" not in constructor_checks.ranges(conditions(Layer))


def sized(size, p=(0.5, 0.5), mode="sum"):
    if mode not in ("sum", "mean"):
        raise ValueError(mode)
    if not 0.0 <= p[1] < 1.0:
        raise ValueError(p)


def test_texts_of_a_display_are_choices_and_items_speak_for_tuples():
    found = constructor_checks.ranges(conditions(sized))
    assert found["mode"].choices == ("'sum'", "'mean'")
    assert (found["p"].low, found["p"].high, found["p"].open_high) == (0, 1, True)


def test_conditions_over_several_parameters_are_relations():
    assert constructor_checks.relations(conditions(Layer)) == ("size % groups == 0",)


@pytest.mark.parametrize(("name", "p"), [("Dropout", "p"), ("AlphaDropout", "p")])
def test_checks_of_called_functions_are_those_of_the_layer(name, p):
    found = constructor_checks.ranges(constructor_checks.conditions(getattr(torch.nn, name), {p}))
    assert (found[p].low, found[p].high) == (0, 1)


def test_functions_without_source_have_no_checks():
    assert constructor_checks.conditions(torch.relu, {"input"}) == ()
