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
        ("ints(min=1, max=5)", "ints(min=1, max=5)"),
    ],
)
def test_only_sizes_that_are_neither_shared_nor_fixed_go(inferred, wider):
    assert widened(inferred) == wider


def test_what_a_person_wrote_stays():
    written = "tensors(shape=(ints(min=4, max=20),))"
    assert widened(written, GIVEN) == written


def test_requirements_and_constructor_stay():
    contract = Contract({"x": "tensors()"}, requires=("x.ndim > 1",), constructor=Contract())
    terms = FunctionContract(
        contract, {"x": ParameterContract("tensors()", HINT, Confidence.STRONG)}
    )
    assert widened_contract(terms) == contract
