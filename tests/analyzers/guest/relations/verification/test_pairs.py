"""Value and status equivalence, on a small library and on torch."""

import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.verification.call_validity import live_call_of
from analyzers.guest.relations.verification.equivalence import CandidatePair
from analyzers.guest.relations.verification.source_inputs import SourceInputs
from tests.analyzers.guest.relations.small import SmallLibrary

torch.set_num_threads(1)


def quiet(text):
    """Begins nothing."""


def verdict(lib, template, *texts, until_falsified=True):
    """What holds of a template for the calls of one API."""
    name = texts[0].partition("(")[0]
    api = next(api for api in lib.apis() if api.name == name)
    calls = [(live_call_of(text, lib), text) for text in texts]
    pair = CandidatePair(SourceInputs(api, calls, lib, quiet), template, quiet)
    return pair.verified(until_falsified=until_falsified)


def small(template, *texts, **options):
    return verdict(SmallLibrary(), template, *texts, **options)


def of_torch(template, *texts):
    return verdict(library("torch"), template, *texts).holds


def test_equal_on_all_inputs_is_value_equivalence():
    found = small("small.magnitude(x)", "small.absolute(small.array([1.0, -2.0]))")
    assert found.holds == "value"
    assert found.inputs > 1, "harder inputs agree, too"


def test_few_equal_values_are_no_evidence_but_for_namesakes():
    source = "torch.Tensor.crow_indices(torch.Tensor.to_sparse_csr(torch.eye(2)))"
    assert of_torch("torch.crow_indices_copy(self)", source) == "status"
    source = "torch.col_indices_copy(torch.Tensor.to_sparse_csr(torch.eye(2)))"
    assert of_torch("torch.Tensor.col_indices(input)", source) == "status"
    source = "torch.Tensor.to_sparse_csr(torch.eye(2))"
    assert of_torch("torch.Tensor.to_sparse_csr(self)", source) == "value"


def test_a_template_that_says_little_of_harder_inputs_gets_its_own():
    flags = "return_inverse=False, return_counts=False, dim=None"
    texts = [
        f"torch.Tensor.unique(torch.tensor({value}), sorted={way}, {flags})"
        for way in (False, True)
        for value in ("0.0", "[0.0, 0.0]", "False", "0")
    ]
    template = "torch.unique_consecutive(self, dim=dim)"
    assert of_torch(template, *texts) == "status"


def test_an_in_place_target_that_refuses_most_inputs_is_no_relative():
    texts = [
        f"torch.addcmul(torch.ones(2), torch.ones(2), {other})"
        for other in ("torch.tensor(2.0)", "torch.ones(2)", "torch.ones(1, 2)")
    ]
    assert of_torch("torch.Tensor.add_(input, tensor1, alpha=tensor2)", *texts) is None
    texts = [text.replace("addcmul", "add").replace(", torch.ones(2), ", ", ") for text in texts]
    assert of_torch("torch.Tensor.add_(input, other)", *texts) == "value"


def test_equality_by_chance_falls_away():
    texts = ("small.absolute(small.array([1.0, 2.0]))", "small.absolute(small.array([0.5]))")
    assert small("small.positive_part(x)", *texts).holds == "status"


def test_predicates_that_are_false_of_plain_numbers_are_told_apart():
    assert small("small.is_infinite(x)", "small.is_nan(small.array([1.0]))").holds == "status"


def test_what_fails_where_the_source_succeeds_has_no_relation():
    assert small("small.picky(x)", "small.absolute(small.array([1.0]))").holds is None


def test_inputs_that_succeed_are_lent_though_nothing_holds():
    texts = (
        "small.absolute(small.array([1.0]))",
        "small.absolute(small.array([1j], 'complex64'))",
    )
    found = small("small.picky(x)", *texts, until_falsified=False)
    assert found.holds is None
    assert [live.arguments[0].dtype.kind for live in found.lent] == ["c"]


def test_an_in_place_target_works_on_copies():
    text = "small.negative(small.array([1.0, -2.0]))"
    assert small("small.negative_(x)", text).holds == "value"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("torch.abs(input)", "torch.absolute(torch.tensor([1.0, -2.0]))"),
        ("torch.nn.ReLU()(input)", "torch.nn.functional.relu(torch.tensor([1.0, -2.0]))"),
        ("torch.Tensor.mul_(self, other)", "torch.Tensor.multiply_(torch.tensor([2.0]), 3)"),
        ("torch.Tensor.add_(input, other)", "torch.add(torch.tensor([2.0]), torch.ones(3, 1))"),
    ],
)
def test_relations_of_torch_hold(template, text):
    easy = text.replace("torch.ones(3, 1)", "torch.tensor([3.0])")
    assert of_torch(template, text, easy) == "value"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("torch.nn.functional.elu(input)", "torch.nn.functional.relu(torch.tensor([1.0, 2.0]))"),
        ("torch.nn.functional.elu(input, alpha=alpha)", "torch.celu(torch.tensor([1.0, -2.0]))"),
        ("torch.nanmedian(input)", "torch.median(torch.tensor([1.0, 2.0, 3.0]))"),
        ("torch.trunc(input)", "torch.round(torch.tensor([1, 2, 3]))"),
        ("torch.clone(input)", "torch.conj(torch.tensor([1.0, 2.0]))"),
        (
            "torch.nn.functional.adaptive_avg_pool2d(input, kernel_size)",
            "torch.nn.functional.avg_pool2d(torch.full((1, 1, 4, 4), 2.0), 2)",
        ),
        ("torch.fft.ifft(input, dim=0)", "torch.fft.ifftn(torch.tensor([1.0, 2.0]))"),
        ("torch.numel(self)", "torch.Tensor.numpy(torch.tensor(1.0))"),
        ("torch.Tensor.sub_(self, other)", "torch.Tensor.add_(torch.tensor([2.0]), 0)"),
    ],
)
def test_relations_by_chance_of_torch_do_not_hold(template, text):
    assert of_torch(template, text) != "value"
