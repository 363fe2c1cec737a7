"""Results are the same as far as rounding can tell, and differences are told in few words."""

from typing import Any

import numpy as np
import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.result_comparison import Tolerance, difference

NAN, INF = float("nan"), float("inf")
MinMax = torch.return_types.max


def tensor(*elements: Any, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(elements, dtype=dtype)


def compared(result: Any, expected: Any, **known: Any) -> str | None:
    return difference(result, expected, library("torch"), Tolerance(**known))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (tensor(1.0, 2.0), tensor(1.0, 2.0 + 2e-6)),
        (tensor(NAN, 1.0), tensor(-NAN, 1.0)),
        (tensor(0.0), tensor(-0.0)),
        (tensor(INF), tensor(INF)),
        (tensor(INF), tensor(3.3e38)),
        (tensor(0.5, dtype=torch.bfloat16), tensor(0.51, dtype=torch.bfloat16)),
        (tensor(1.0, dtype=torch.float16), tensor(1.01, dtype=torch.float16)),
        (torch.tensor(complex(NAN, 1)), torch.tensor(complex(INF, NAN))),
        ((tensor(1.0), [2]), [tensor(1.0), (2,)]),
        ({"a": tensor(1.0), "b": None}, {"b": None, "a": tensor(1.0)}),
        (torch.Size([2, 3]), torch.Size([2, 3])),
        (torch.float32, torch.float32),
        (object(), object()),
        (2**70, 2**70),
        (torch.eye(2).to_sparse(), torch.eye(2).to_sparse()),
    ],
)
def test_results_that_agree(result: Any, expected: Any) -> None:
    assert compared(result, expected) is None


@pytest.mark.parametrize(
    ("result", "expected", "told"),
    [
        (tensor(1.0, 2.0, 3.0), tensor(1.0, 2.0, 4.0), "[2] is 3.0, expected 4.0"),
        (torch.tensor(3.0), torch.tensor(4.0), "is 3.0, expected 4.0"),
        (tensor(1.0), tensor(1.0001), "[0] is 1.0, expected 1.000100016593933"),
        (tensor(NAN), tensor(1.0), "[0] is nan, expected 1.0"),
        (tensor(INF), tensor(-INF), "[0] is inf, expected -inf"),
        (tensor(INF), tensor(1.0), "[0] is inf, expected 1.0"),
        (tensor(7, dtype=torch.int64), tensor(8, dtype=torch.int64), "[0] is 7, expected 8"),
        (tensor(True, dtype=torch.bool), tensor(False, dtype=torch.bool), None),
        (tensor(1.0), tensor(1.0, dtype=torch.float64), "dtype is float32, expected float64"),
        (torch.zeros(2, 3), torch.zeros(3, 2), "shape is (2, 3), expected (3, 2)"),
        (torch.zeros(0), torch.zeros(0, 1), "shape is (0,), expected (0, 1)"),
        (tensor(1 + 1j, dtype=torch.complex64), tensor(1 - 1j, dtype=torch.complex64), None),
        (
            (tensor(1.0), tensor(2.0)),
            (tensor(1.0), tensor(5.0)),
            "item 1: [0] is 2.0, expected 5.0",
        ),
        ({"a": tensor(1.0)}, {"b": tensor(1.0)}, "has the keys ['a'], expected ['b']"),
        ((1, 2), (1, 2, 3), "has 2 items, expected 3"),
        (3, 4, "is 3, expected 4"),
        (None, tensor(1.0), "is None, expected tensor([1.])"),
        (torch.float32, torch.float64, "is torch.float32, expected torch.float64"),
    ],
)
def test_results_that_differ(result: Any, expected: Any, told: str | None) -> None:
    found = compared(result, expected)
    assert found is not None
    assert told is None or found == told


def test_many_summed_elements_err_more() -> None:
    result, expected = tensor(0.0), tensor(3e-5)
    assert compared(result, expected) is not None
    assert compared(result, expected, terms=10_000) is None
    assert compared(result, expected, magnitude=1000.0) is None


def test_the_coarsest_dtype_of_the_inputs_counts() -> None:
    assert compared(tensor(1.0), tensor(1.004)) is not None
    assert compared(tensor(1.0), tensor(1.004), coarsest="float16") is None


def test_only_what_is_far_from_float64_where_the_other_is_near() -> None:
    result, expected = tensor(1.0), tensor(1.001)
    both_off = torch.tensor([1.01], dtype=torch.float64)
    one_off = torch.tensor([1.0], dtype=torch.float64)
    assert compared(result, expected, precise=both_off) is None
    assert compared(result, expected, precise=one_off) == "[0] is 1.0, expected 1.0010000467300415"


def test_numbers_that_no_float32_holds_are_rightly_infinite() -> None:
    precise = torch.tensor([1e40], dtype=torch.float64)
    assert compared(tensor(INF), tensor(1.0), precise=precise) is not None
    assert compared(tensor(INF), tensor(2e38), precise=precise) is None


def test_whole_numbers_from_rounded_ones_where_float64_takes_no_side() -> None:
    ours, theirs = tensor(3, dtype=torch.int64), tensor(4, dtype=torch.int64)
    assert compared(ours, theirs, precise=tensor(5, dtype=torch.int64)) is None
    assert compared(ours, theirs, precise=tensor(4, dtype=torch.int64)) is not None


def test_which_of_equal_elements_an_index_names_is_open() -> None:
    values = tensor(1.0)
    ours = MinMax((values, torch.tensor([0])))
    theirs = MinMax((values, torch.tensor([1])))
    assert compared(ours, theirs) == "item 1: [0] is 0, expected 1"
    assert compared(ours, theirs, ties=True) is None


def test_numpy_arrays_and_scalars_are_compared() -> None:
    class Numpy:
        name = "numpy"

        def is_array(self, value: Any) -> bool:
            return isinstance(value, np.ndarray | np.generic)

        def plain(self, array: Any) -> Any:
            return str(array.dtype), array.shape, np.asarray(array)

    arrays: Any = Numpy()
    assert difference(np.float32(1), np.float32(1), arrays) is None
    assert difference(np.arange(3), np.arange(3) * 2, arrays) == "[1] is 1, expected 2"
