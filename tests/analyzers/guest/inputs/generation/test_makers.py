"""Makers of arrays, and their source as a program that stands by itself."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from analyzers.guest.inputs.generation.scalar_strategies import LARGEST, WHOLE
from analyzers.guest.inputs.maker_source import source_of
from analyzers.guest.inputs.makers import MAKERS
from analyzers.guest.inputs.makers.array_makers import array, jax_array, tensor
from analyzers.guest.inputs.recipes import evaluate, parse

DTYPES = [*WHOLE, "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_every_dtype_and_shape_is_made(dtype, shape):
    for made in (tensor(shape, dtype), tensor(shape, dtype, seed=3)):
        assert (made.dtype, tuple(made.shape)) == (getattr(torch, dtype), shape)
    for made in (array(shape, dtype, 1), array(shape, dtype, seed=3)):
        assert (str(made.dtype), made.shape) == (dtype, shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_single_elements_are_put_in(dtype):
    made = tensor((2, 3), dtype, 1, {(1, 2): 0})
    assert made.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert array((2, 3), dtype, 1, {(1, 2): 0}).tolist() == made.tolist()
    assert tensor((), dtype, 0, {(): 1}).item() == 1


def test_a_seed_means_the_same_in_every_version():
    drawn = [0.32383276483316237, 0.15084917392450192, 0.6509344730398537, 0.07243628666754276]
    assert tensor((4,), "float64", seed=7).tolist() == drawn
    assert tensor((2, 2), "float64", seed=7, low=-1).tolist() == [
        [2 * (drawn[0] - 0.5), 2 * (drawn[1] - 0.5)],
        [2 * (drawn[2] - 0.5), 2 * (drawn[3] - 0.5)],
    ]
    assert tensor((6,), "int64", seed=7, high=9).tolist() == [3, 1, 6, 0, 5, 3]
    assert array((6,), "int64", seed=7, high=9).tolist() == [3, 1, 6, 0, 5, 3]


@pytest.mark.parametrize("dtype", list(LARGEST))
def test_drawn_numbers_keep_to_their_bounds(dtype):
    made = tensor((50, 100), dtype, seed=1, low=0.25, high=0.5).double()
    assert 0.25 <= made.min() < 0.26
    assert 0.49 < made.max() <= 0.5
    span = LARGEST[dtype]
    assert torch.isfinite(tensor((100,), dtype, seed=1, low=-span, high=span)).all()


def test_whole_numbers_reach_both_bounds():
    made = tensor((200,), "int64", seed=1, low=-2, high=2)
    assert sorted(set(made.tolist())) == [-2, -1, 0, 1, 2]
    wide = tensor((200,), "int64", seed=1, low=-(2**63), high=2**63 - 1)
    assert len(set(wide.tolist())) > 190


def test_complex_numbers_have_both_parts():
    made = tensor((2, 3), "complex64", seed=2, low=-1, high=1)
    assert (made.real != made.imag).all()
    assert np.allclose(array((2, 3), "complex64", seed=2, low=-1, high=1), made.numpy())


@pytest.mark.parametrize("shape", [(2,), (3, 1), (2, 3), (1, 2, 2)])
def test_views_are_really_not_contiguous(shape):
    made = tensor(shape, seed=1, contiguous=False, requires_grad=True)
    assert not made.is_contiguous()
    assert made.is_leaf
    assert made.requires_grad
    assert torch.equal(made.detach(), tensor(shape, seed=1))
    strided = array(shape, seed=1, contiguous=False)
    assert not strided.flags.c_contiguous
    assert (strided == array(shape, seed=1)).all()


@pytest.mark.parametrize("seed", [None, 0, 5])
def test_rows_are_what_their_values_say(seed):
    shares = tensor((4, 3), values="probabilities", seed=seed)
    assert torch.allclose(shares.sum(-1), torch.ones(4))
    assert (shares >= 0).all()
    hot = tensor((4, 3), "int64", values="one_hot", seed=seed)
    assert (hot.sum(-1) == 1).all()
    assert ((hot == 0) | (hot == 1)).all()
    ascending = tensor((4, 30), values="sorted", seed=seed)
    assert (ascending.diff(dim=-1) >= 0).all()
    different = tensor((4, 30), "int16", values="unique", seed=seed, low=-60, high=59)
    assert sorted(different.flatten().tolist()) == list(range(-60, 60))


def test_jax_arrays_are_made():
    jax = pytest.importorskip("jax")
    made = jax_array((2, 3), "bfloat16", seed=1, low=2, high=3)
    assert isinstance(made, jax.Array)
    assert str(made.dtype) == "bfloat16"
    assert bool((made >= 2).all())


def test_elements_are_taken_by_their_place():
    assert evaluate(parse("element(options, 1)"), {"options": {"a": 1, "b": 2}}) == "b"


@pytest.mark.slow
def test_sources_stand_by_themselves():
    program = source_of(["tensor", "array"]) + (
        "print(tensor((2, 2), seed=7, low=-1, high=1).tolist())\n"
        "print(array((6,), 'int64', seed=7, high=9).tolist())\n"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        str(tensor((2, 2), seed=7, low=-1, high=1).tolist()),
        "[3, 1, 6, 0, 5, 3]",
    ]


def test_sources_hold_what_is_used_and_no_more():
    text = source_of(["element"])
    assert "def element(" in text
    assert "random" not in text
    assert "analyzers" not in source_of(MAKERS)
    assert "from ." not in source_of(MAKERS)
    compile(source_of(MAKERS), "<reproducer>", "exec")
    assert source_of([]) == "from __future__ import annotations\n"


def test_an_unknown_maker_is_a_key_error():
    with pytest.raises(KeyError):
        source_of(["no_maker"])


def test_numbers_that_are_not_finite_stand_where_they_are_put():
    recipe = parse("tensor((2, 2), at={(0, 1): nan, (1, 0): -inf})")
    made = evaluate(recipe, {})
    assert math.isnan(made[0, 1])
    assert made[1, 0] == -math.inf
