"""Annotations tell kinds, lengths and choices."""

from typing import Literal

import pytest
import torch

from benchmarks.layers_survey import annotated_kinds


@pytest.mark.parametrize(
    ("annotation", "kinds"),
    [
        (int, ("int",)),
        (int | tuple[int, int], ("int", "ints")),
        (float | None, ("float", "none")),
        (Literal["a", "b"], ("str",)),
        (tuple[int | None, ...], ("ints",)),
        (float | tuple[float, float] | None, ("float", "floats", "none")),
        (torch.nn.Module, ("module",)),
        (torch.Tensor, ("other",)),
    ],
)
def test_kinds_of_an_annotation(annotation, kinds):
    assert annotated_kinds.kinds(annotation) == kinds


def test_length_and_literals():
    assert annotated_kinds.length(int | tuple[int, int]) == 2
    assert annotated_kinds.length(tuple[int, ...]) is None
    assert annotated_kinds.literals(Literal["a", "b"] | None) == ("'a'", "'b'")


def test_overloads_stand_for_star_arguments():
    names = list(annotated_kinds.signature(torch.nn.LSTM).parameters)
    assert names[:3] == ["input_size", "hidden_size", "num_layers"]
