"""Contracts with fewer limits: only what was inferred of sizes and strides goes."""

import pytest

from analyzers.inference.facts import Confidence, ConstraintSource
from analyzers.inference.function_contracts import FunctionContract, ParameterContract
from analyzers.inference.widening import widened_contract
from analyzers.vocabulary import Contract

HINT, GIVEN = ConstraintSource.HINT, ConstraintSource.GIVEN


def widened(constraint, source=HINT):
    term = ParameterContract(constraint, source, Confidence.STRONG)
    terms = FunctionContract(Contract({"x": constraint}), {"x": term})
    return widened_contract(terms).arguments["x"]


@pytest.mark.parametrize(
    ("inferred", "wider"),
    [
        (
            'tensors(dtype="float32", shape=(ints(min=4, max=20),), contiguous=True)',
            'tensors(dtype="float32")',
        ),
        ("np_arrays(shape=(ints(min=1), ints(min=2)), min=0)", "np_arrays(min=0)"),
        ('tensors(shape="b 3")', 'tensors(shape="b 3")'),
        ('tensors(shape=("b", ints(min=8)))', 'tensors(shape=("b", ints(min=8)))'),
        ("tensors(shape=(1, 64, ints(min=2)))", "tensors(shape=(1, 'size_64', ints(min=2)))"),
        ("ints(min=1, max=5)", "ints(min=1, max=5)"),
        ("froms([32])", "froms([32])"),
    ],
)
def test_only_sizes_that_are_neither_shared_nor_fixed_go(inferred, wider):
    assert widened(inferred) == wider


@pytest.mark.parametrize(
    ("seen", "wider"),
    [
        ("froms([32])", "anys(froms([32]), ints(min=1, max=33))"),
        ("froms([1024, 8])", "anys(froms([1024, 8]), ints(min=1, max=33))"),
        ("froms([-1])", "froms([-1])"),
        ("froms([0.5])", "anys(froms([0.5]), floats(min=0, max=1.0))"),
        ("froms([True])", "anys(froms([True]), bools())"),
        ('froms(["lang"])', 'froms(["lang"])'),
        ("anys(froms([4]), None)", "anys(anys(froms([4]), ints(min=1, max=5)), None)"),
    ],
)
def test_examples_prove_and_do_not_limit(seen, wider):
    assert widened(seen, ConstraintSource.DOCUMENT) == wider


def test_sizes_that_an_example_shares_stay_shared():
    x = ParameterContract("tensors(shape=(1, 64))", ConstraintSource.TEST, Confidence.STRONG)
    y = ParameterContract("tensors(shape=(64,))", ConstraintSource.TEST, Confidence.STRONG)
    contract = Contract({"x": x.constraint, "y": y.constraint})
    found = widened_contract(FunctionContract(contract, {"x": x, "y": y})).arguments
    assert found == {"x": "tensors(shape=(1, 'size_64'))", "y": "tensors(shape=('size_64',))"}


def test_what_a_person_wrote_stays():
    written = "tensors(shape=(ints(min=4, max=20),))"
    assert widened(written, GIVEN) == written


def test_requirements_and_constructor_stay():
    contract = Contract({"x": "tensors()"}, requires=("x.ndim > 1",), constructor=Contract())
    terms = FunctionContract(
        contract, {"x": ParameterContract("tensors()", HINT, Confidence.STRONG)}
    )
    assert widened_contract(terms) == contract
