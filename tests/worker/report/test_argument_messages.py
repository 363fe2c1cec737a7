"""Arguments that were made, in words, in every format."""

from dataclasses import replace

import pytest

from analyzers.guest.inputs.recipes import parse
from analyzers.vocabulary import LiteralArgument, Probe, RecipeArgument
from tests.worker.report.rendering import to_markdown, to_text
from tests.worker.report.samples import report
from tests.worker.report.test_property_reproducer import DEFECTS
from worker.report.argument_messages import LONGEST_WORDS, ArgumentText, values_of, words
from worker.report.html_report import to_html
from worker.report.json_report import report_document


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("tensor((1, 3, 8, 8), fill=0.0)", "tensor 1×3×8×8 float32, all 0.0"),
        ("tensor((), 'int64', 3)", "tensor of one number int64, all 3"),
        ("tensor((2,), seed=3)", "tensor 2 float32, from 0 to 1"),
        ("tensor((2,), seed=3, low=-5, high=5, values='one_hot')",
         "tensor 2 float32, from -5 to 5 (one hot)"),
        ("tensor((2, 2), at={(0, 1): nan})", "tensor 2×2 float32, all 0 but nan at (0, 1)"),
        ("tensor((9,), at={(0,): 1, (1,): 2, (2,): 3, (3,): 4, (4,): 5})",
         "tensor 9 float32, all 0 but 1 at (0,), 2 at (1,), 3 at (2,), 4 at (3,), …"),
        ("tensor((2,), requires_grad=True, contiguous=False, device='cuda')",
         "tensor 2 float32, all 0, requires grad, not contiguous, on cuda"),
        ("array((2, 0), 'bool')", "NumPy array 2×0 bool, all 0"),
        ("jax_array((4,))", "JAX array 4 float32, all 0"),
        ("image('pil', 32, 48)", "PIL image, 32×48, channels 3, all 0"),
        ("image('path', 2, 2, channels=1, seed=1)", "path of a picture, 2×2, channels 1, noise"),
        ("path('csv')", "path of a csv"),
        ("path('text', '.md')", "path of a text (.md)"),
        ("dataset([(tensor((1,)), 0), (tensor((1,)), 1)])",
         "dataset of 2 items, the first: tuple of 2: tensor 1 float32, all 0; 0"),
        ("loader([], 2)", "data loader (batches of 2) of 0 items"),
        ("module((3, 8, 8), (10,))", "small torch module from 3×8×8 to 10"),
        ("optimizer('Adam')", "optimizer Adam"),
        ("function()", "function that returns the last array that it is given"),
        ("function(None)", "function that returns None"),
        ("function(tensor((1,)))", "function that returns tensor 1 float32, all 0"),
        ("config(lr=0.1, of=Settings)", "Settings with lr=0.1"),
        ("config()", "configuration"),
        ("imported('torch.nn', 'ReLU')", "ReLU of torch.nn"),
        ("constructed('tests/nets.py', 'Net', 4)", "Net of tests/nets.py(…)"),
        ("[tensor((1,)), 2, 3, 4, 5]", "list of 5: tensor 1 float32, all 0; 2; 3; 4; …"),
        ("{'a': array((1,))}", "dictionary of 'a': NumPy array 1 float32, all 0"),
        ("[1, (2, -inf)]", "[1, (2, -inf)]"),
        ("Net(width=3)", "Net(width=3)"),
    ],
)  # fmt: skip
def test_recipe_is_told_in_words(recipe, said):
    assert words(parse(recipe)) == said


def test_words_are_few():
    assert len(words(parse(f"[{', '.join(map(str, range(500)))}]"))) == LONGEST_WORDS


def test_each_argument_is_told_once():
    probe = Probe(
        "t",
        {
            "x": RecipeArgument("tensor((1,))"),
            "n": LiteralArgument("3"),
            "odd": RecipeArgument("a + b"),
        },
    )
    assert values_of(replace(DEFECTS["IndexError"], probes=(probe, probe))) == [
        ArgumentText("x: tensor 1 float32, all 0", "tensor((1,))"),
        ArgumentText("argument n", "3"),
        ArgumentText("argument odd", "a + b"),
    ]


@pytest.fixture
def told():
    return replace(report(), findings=(DEFECTS["IndexError"],))


def test_document_has_them_as_values(told):
    (found,) = report_document(told)["findings"]
    assert found["inputs"] == [
        {
            "kind": "value",
            "description": "x: tensor 1×1 float32, all nan",
            "file": None,
            "value": "tensor((1, 1), fill=nan)",
            "tensor": {
                "shape": [1, 1],
                "dtype": "float32",
                "low": None,
                "high": None,
                "not_finite": 1,
                "cells": [[None]],
            },
        },
        {"kind": "value", "description": "argument n", "file": None, "value": "3"},
    ]


@pytest.mark.parametrize("form", [to_text, to_markdown, to_html])
def test_every_format_for_people_tells_them(told, form):
    text = form(told)
    assert "x: tensor 1×1 float32, all nan" in text
    assert "tensor((1, 1), fill=nan)" in text


def test_text_tells_a_few(told):
    many = {f"x{n}": RecipeArgument(str(n)) for n in range(20)}
    finding = replace(DEFECTS["IndexError"], probes=(Probe("t", many),))
    assert "and 8 more" in to_text(replace(told, findings=(finding,)))
