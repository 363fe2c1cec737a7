"""A finding that comes back from a guest is read by this grammar, and by nothing else."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.guest.models.model_types import Mutation
from analyzers.guest.models.mutation.mutation_grammar import (
    MalformedMutation,
    described,
    format_mutations,
    is_writable_name,
    layer,
    parse_mutations,
)

NAMES = st.one_of(
    st.just("."),
    st.lists(
        st.from_regex(r"[a-zA-Z0-9_é][a-zA-Z0-9_#-]{0,8}", fullmatch=True), min_size=1, max_size=4
    ).map(".".join),
)
SEEDS = st.integers(0, 2**31 - 1)
VALUES = st.one_of(
    st.integers(-(10**9), 10**9),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["same", "bilinear"]),
    st.tuples(st.integers(0, 99), st.integers(0, 99)),
)
LAYERS = st.builds(
    lambda kind, arguments, keywords: layer(kind, *arguments, **keywords),
    st.sampled_from(["ReLU", "Conv2d", "Unflatten"]),
    st.lists(VALUES, max_size=3),
    st.dictionaries(st.sampled_from(["padding", "bias", "size"]), VALUES, max_size=2),
)
ONE = st.one_of(
    st.builds(Mutation, st.sampled_from(["LR", "LC", "AFRm"]), NAMES),
    st.builds(Mutation, st.just("LS"), NAMES, NAMES),
    st.builds(Mutation, st.sampled_from(["LA", "AFRp"]), NAMES, LAYERS, SEEDS),
    st.builds(
        Mutation,
        st.just("MLA"),
        NAMES,
        st.lists(LAYERS, min_size=2, max_size=3).map(" > ".join),
        SEEDS,
    ),
    st.builds(
        Mutation,
        st.sampled_from(["GF", "WS", "NAI", "NEB", "NS"]),
        NAMES,
        st.sampled_from(["weight", "weight_hh_l0"]),
        SEEDS,
    ),
)


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(ONE, max_size=4))
def test_a_line_comes_back_as_the_same_mutations(mutations):
    line = format_mutations(mutations)

    assert parse_mutations(line) == mutations
    assert "\n" not in line
    assert all(described(mutation) for mutation in mutations)


def test_a_line_reads_well():
    line = format_mutations(
        [Mutation("LA", "conv1", "Conv2d(6, 6, 3, padding=1)", 5), Mutation("LR", "relu")]
    )

    assert line == "LA conv1: Conv2d(6, 6, 3, padding=1) @5; LR relu"


@pytest.mark.parametrize(
    "line",
    [
        "XX conv1",
        "LR",
        "LR conv1 ",
        " LR conv1",
        "LR conv1;LR conv2",
        "LR conv1; ",
        "LR conv1\n",
        "LR conv1: weight",
        "LR conv1 @5",
        "LR a..b",
        "LR .a",
        "LR conv1 @05",
        "LS conv1",
        "LS conv1: a b",
        "GF conv1",
        "GF conv1: weight @2147483648",
        "GF conv1: we ight @1",
        "LA conv1: ReLU @1",
        "LA conv1: relu() @1",
        "LA conv1: ReLU(x) @1",
        "LA conv1: ReLU(**{}) @1",
        "LA conv1: ReLU(*[1]) @1",
        "LA conv1: ReLU(open('x')) @1",
        "LA conv1: ReLU([1]) @1",
        "LA conv1: ReLU(((1,),)) @1",
        "LA conv1: ReLU(1,2) @1",
        "LA conv1: ReLU(0x10) @1",
        "LA conv1: ReLU()() @1",
        "LA conv1: A.B() @1",
        "LA conv1: ReLU(b'x') @1",
        "LA conv1: ReLU() > ReLU() @1",
        "MLA conv1: ReLU() @1",
        "LA conv1: ReLU(" + "(" * 3000 + ") @1",
        "LA conv1: ReLU(" + "-" * 3000 + "1) @1",
        "LA conv1: ReLU('a\\x00') @1",
        "LR " + "a" * 5000,
    ],
)
def test_anything_else_is_malformed(line):
    with pytest.raises(MalformedMutation):
        parse_mutations(line)


def test_names_that_a_line_cannot_hold_are_not_spellable():
    assert all(map(is_writable_name, ["layer1.0.conv1", "relu#2", "."]))
    assert not any(map(is_writable_name, ["", "a b", "a;b", "a..b", "a: b", "@"]))


def test_reading_a_line_needs_no_torch():
    code = (
        "import sys; from analyzers.guest.models.mutation.mutation_grammar import parse_mutations;"
        "from analyzers.guest.models.mutation.mutation_grammar import described;"
        "described(parse_mutations('LA a: ReLU() @1')[0]); assert 'torch' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
