"""The smallest failing value is found: the smallest shape, everywhere the simplest number."""

import pytest

from tests.analyzers.guest.inputs.generation.samples import smallest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensors()", "tensor((1,))"),
        ("tensors(shape='b c h w')", "tensor((1, 1, 1, 1))"),
        ("tensors(shape='...')", "tensor(())"),
        ("tensors(shape='2*n h//2')", "tensor((2, 1))"),
        ("tensors(min=2, max=3)", "tensor((1,), fill=2.0)"),
        ("tensors(min=-3, max=-2)", "tensor((1,), fill=-2.0)"),
        ("tensors(dtype='bool', shape='n')", "tensor((1,), dtype='bool', fill=False)"),
        ("tensors(dtype='int64', min=3, shape='n')", "tensor((1,), dtype='int64', fill=3)"),
        (
            "tensors(values='unique', shape='n')",
            "tensor((1,), values='unique', low=-10.0, high=10.0)",
        ),
        ("tensors(values='one_hot', shape='n')", "tensor((1,), values='one_hot')"),
        ("tensors(requires_grad=bools(), contiguous=bools())", "tensor((1,))"),
        pytest.param("np_arrays()", "array((1,), dtype='float64')", marks=pytest.mark.slow),
        pytest.param("jax_arrays(shape='n')", "jax_array((1,))", marks=pytest.mark.slow),
        ("np_shapes()", "(1,)"),
        ("ints(min=5)", "5"),
        ("ints(max=-5)", "-5"),
        ("ints(min=5, multiple_of=4)", "8"),
        ("floats(min=0.1)", "1.0"),
        ("bools()", "False"),
        pytest.param("strings()", "''", marks=pytest.mark.slow),
        ("lists(strings(min_len=1), min_len=1)", "['0']"),
        ("dicts()", "{}"),
        ("froms(['b', 'a'])", "'b'"),
        ("anys(None, ints())", "None"),
    ],
)
def test_simplest_value_is_the_smallest(text, expected):
    assert smallest(text) == expected


@pytest.mark.parametrize(
    ("text", "fails", "expected"),
    [
        ("tensors(shape='b c')", lambda x: x.shape[1] >= 3, "tensor((1, 3))"),
        ("tensors(shape='b c')", lambda x: x.numel() > 4, "tensor((1, 5))"),
        ("tensors(shape='n')", lambda x: not x.is_contiguous(), "tensor((2,), contiguous=False)"),
        ("tensors(shape='n')", lambda x: (x != 0).any(), "tensor((1,), fill=1.0)"),
        ("tensors(shape='n', finite=False)", lambda x: x.isnan().any(), "tensor((1,), fill=nan)"),
        (
            "tensors(shape='n')",
            lambda x: x.unique().numel() > 1,
            "tensor((2,), at={(0,): 1.0})",
        ),
        (
            "tensors(shape='n', min=0, max=1)",
            lambda x: ((x > 0) & (x < 0.4)).any(),
            "tensor((1,), fill=0.25)",
        ),
        ("int_lists(min=1, max=9)", lambda x: sum(x) > 5, "[6]"),
    ],
)
def test_smallest_failure_is_found(text, fails, expected):
    assert smallest(text, fails) == expected
