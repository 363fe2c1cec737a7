"""Three lines show a divergence: they run, and say what comes of both calls."""

import contextlib
import io

import pytest

from analyzers.vocabulary.library_relations import Divergence
from worker.studies.divergence_reproducer import reproducer


def lines_of(call, related, parameters=(), api="torch.lcm"):
    return reproducer(
        Divergence(api, "value", "reference", related, call, "tensor([6])", "tensor([12])"),
        parameters,
    )


def printed(lines):
    """What the lines print when they are run (the test's own lines: nothing is untrusted)."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec("\n".join(lines), {})
    return out.getvalue().splitlines()


CALL = "torch.lcm(torch.tensor([4]), torch.tensor([6]))"


@pytest.mark.slow
def test_the_related_call_has_the_arguments_of_the_call():
    lines = lines_of(CALL, "torch._refs.lcm(input, other)", ("input", "other", "out"))
    assert lines == (
        "import torch, torch._refs",
        f"print({CALL})  # tensor([6])",
        "print(torch._refs.lcm(torch.tensor([4]), torch.tensor([6])))  # tensor([12])",
    )
    assert printed(lines) == ["tensor([12])", "tensor([12])"]


def test_arguments_that_were_not_given_are_left_out():
    template = "torch.Tensor.sum(input, dim, keepdim=keepdim, dtype=dtype)"
    call = "torch.sum(torch.tensor([[1, 2]]), keepdim=True, dim=1)"
    lines = lines_of(call, template, ("input", "dim", "keepdim", "dtype"), "torch.sum")
    assert printed(lines) == ["tensor([[3]])", "tensor([[3]])"]


@pytest.mark.parametrize(
    ("related", "parameters"),
    [
        ("the same call on float64", ("input", "other")),
        ("torch._refs.lcm(input, other)", ()),
        ("torch.lcm(input, other", ("input", "other")),
    ],
)
def test_what_cannot_be_written_as_a_call_is_a_comment(related, parameters):
    lines = lines_of(CALL, related, parameters)
    assert lines[2] == f"# {related}: tensor([12])"
    assert printed(lines) == ["tensor([12])"]


def test_what_is_expected_is_said_once():
    lines = lines_of(CALL, "tensor([12])")
    assert lines[2] == "# tensor([12])"


def test_makers_are_imported():
    call = 'torch.abs(tensor((2,), "int64", fill=-3))'
    lines = lines_of(call, "torch.absolute(input)", ("input",), "torch.abs")
    assert printed(lines) == ["tensor([3, 3])", "tensor([3, 3])"]


def test_numbers_without_a_literal_are_imported():
    lines = lines_of(
        "torch.nan_to_num(torch.tensor([nan, -inf]), nan=0.5)",
        "torch.Tensor.nan_to_num(input, nan=nan)",
        ("input", "nan", "posinf", "neginf"),
        "torch.nan_to_num",
    )
    assert lines[0] == "import torch; from math import inf, nan"
    assert len(printed(lines)) == 2


def test_layers_are_called():
    lines = lines_of(
        "torch.nn.ReLU()(torch.tensor([-1.0]))", "torch.relu(input)", ("input",), "torch.nn.ReLU"
    )
    assert printed(lines) == ["tensor([0.])"]


def test_words_stay_on_their_line():
    lines = lines_of(CALL, "one\nimport os\x1b[31m", ())
    assert all(len(each.splitlines()) == 1 and each.isprintable() for each in lines)
