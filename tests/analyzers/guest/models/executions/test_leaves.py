"""Tensors are found in any nesting, in the order that it was made in."""

from collections import OrderedDict
from dataclasses import dataclass

import numpy
import torch

from analyzers.guest.models.executions.tensor_trees import as_numpy, map_tensors, tensor_leaves


@dataclass
class Output:
    loss: float
    logits: torch.Tensor
    states: tuple[torch.Tensor, ...]


def test_nestings_are_read_in_their_order() -> None:
    first, second, third = (torch.full((1,), float(number)) for number in range(3))
    nested = OrderedDict(z=[first, None], a=Output(0.5, second, (third,)))
    assert [int(leaf) for leaf in tensor_leaves(nested)] == [0, 1, 2]


def test_numbers_and_text_are_no_tensors() -> None:
    assert tensor_leaves({"loss": 1.0, "text": "x", "none": None}) == []


def test_mapping_keeps_nestings_and_what_is_no_tensor() -> None:
    nested = ([torch.ones(1)], {"scale": 2})
    assert map_tensors(nested, lambda tensor: int(tensor) + 1) == ([2], {"scale": 2})


def test_floats_are_told_in_double_precision() -> None:
    assert as_numpy(torch.ones(2, dtype=torch.bfloat16)).dtype == numpy.float64


def test_integers_keep_their_dtype() -> None:
    assert as_numpy(torch.ones(2, dtype=torch.int32)).dtype == numpy.int32
    assert as_numpy(torch.ones(2, dtype=torch.bool)).dtype == numpy.bool_


def test_complex_numbers_are_pairs() -> None:
    assert as_numpy(torch.tensor([1 + 2j])).tolist() == [[1.0, 2.0]]


def test_sparse_tensors_are_filled() -> None:
    assert as_numpy(torch.eye(2).to_sparse()).tolist() == [[1.0, 0.0], [0.0, 1.0]]
