"""The numbers of dtypes, against NumPy and ml_dtypes."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.guest.inputs.generation.scalar_strategies import LARGEST, SMALLEST, bounds, following

_NUMPY = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}


@settings(max_examples=100, database=None, derandomize=True, deadline=None)
@given(
    st.sampled_from(sorted(_NUMPY)),
    st.floats(-1e5, 1e5),
    st.floats(-1e5, 1e5),
    st.booleans(),
    st.booleans(),
)
def test_bounds_are_numbers_within(dtype, one, other, open_low, open_high):
    low, high = min(one, other), max(one, other)
    found = bounds(dtype, low, high, open_low=open_low, open_high=open_high)
    if found is None:
        assert high - low < 1e-2 * max(1, abs(high), abs(low)) or low > 65504 or high < -65504
        return
    for bound in found:
        assert float(_NUMPY[dtype](bound)) == bound
        assert low <= bound <= high
    assert not (open_low and found[0] == low)
    assert not (open_high and found[1] == high)


@pytest.mark.parametrize("dtype", sorted(_NUMPY))
def test_next_number_is_that_of_numpy(dtype):
    kind = _NUMPY[dtype]
    for value in (0.0, 1.0, -1.0, 0.75, -2.0, 3.5):
        expected = np.nextafter(np.array(value, kind), np.array(math.inf, kind))
        assert following(dtype, value) == float(expected)


@pytest.mark.parametrize("dtype", sorted(_NUMPY))
def test_limits_are_those_of_the_dtype(dtype):
    info = ml_dtypes.finfo(_NUMPY[dtype])
    assert LARGEST[dtype] == float(info.max)
    assert SMALLEST[dtype] == float(info.smallest_normal)
    assert bounds(dtype, None, None, open_low=False, open_high=False) == (
        -LARGEST[dtype],
        LARGEST[dtype],
    )


def test_open_bounds_at_zero_leave_out_subnormal_numbers():
    assert bounds("float32", 0, 1, open_low=True, open_high=True) == (
        2.0**-126,
        1 - 2.0**-24,
    )


def test_zero_as_a_bound_has_no_sign():
    found = bounds("float16", 0, 0, open_low=False, open_high=False)
    assert repr(found) == "(0.0, 0.0)"


def test_bounds_beyond_a_dtype_are_its_own_or_none():
    assert bounds("float16", 0, 1e9, open_low=False, open_high=False) == (0.0, 65504.0)
    assert bounds("float16", 1e9, None, open_low=False, open_high=False) is None
    assert bounds("float16", None, -1e9, open_low=False, open_high=False) is None
    assert bounds("uint8", -5, 300, open_low=False, open_high=False) == (0, 255)
    assert bounds("int8", 0.5, 2, open_low=False, open_high=True) == (1, 1)
    assert bounds("int8", 200, None, open_low=False, open_high=False) is None
