from dataclasses import replace

import pytest

from analyzers.vocabulary import Probe, RecipeArgument
from tests.worker.report import samples
from worker.report.heat_map import heat_map, range_words
from worker.report.html_report import to_html
from worker.report.json_report import report_document
from worker.report.tensor_summary import MOST_CELLS, tensor_summary


@pytest.mark.parametrize(
    ("recipe", "dtype", "words"),
    [
        ("tensor((2, 3), seed=0, low=-1.0)", "float32", "numbers from -0.4822 to 0.6888"),
        ("tensor((2,), dtype='int64', at={(0,): 7})", "int64", "numbers from 0 to 7"),
        ("array((2, 2), at={(0, 1): inf})", "float32", "1 not finite"),
        ("tensor((), dtype='bfloat16', fill=nan)", "bfloat16", "1 not finite"),
        ("tensor((0, 3))", "float32", ""),
    ],
)
def test_tensor_is_said_by_dtype_and_range(recipe, dtype, words):
    summary = tensor_summary(recipe)
    assert (summary["dtype"], range_words(summary)) == (dtype, words)


def test_whole_numbers_are_exact():
    summary = tensor_summary("tensor((1,), dtype='int64', fill=-9223372036854775808)")
    assert summary["low"] == -9223372036854775808


@pytest.mark.parametrize(
    "recipe", ["Net()", "7", "tensor((100000, 100000))", "tensor(shape)", "tensor((2,), low=Net())"]
)
def test_other_values_have_no_picture(recipe):
    assert tensor_summary(recipe) is None


def test_heat_map_is_small_whatever_the_tensor():
    summary = tensor_summary("tensor((4, 90, 400), seed=3)")
    assert [len(summary["cells"]), len(summary["cells"][0])] == [MOST_CELLS, MOST_CELLS]
    assert len(heat_map(summary["cells"])) < 4000


def test_negative_and_missing_numbers_have_colours_of_their_own():
    drawn = heat_map([[-1.0, 0.5], [None, 1.0]])
    assert "red: negative" in drawn
    assert all(f'fill="var(--{name})"' in drawn for name in ("bad", "note", "ink"))
    assert "style" not in drawn


def test_equal_numbers_need_no_map():
    assert heat_map([[1.0, 1.0]]) is None
    assert heat_map([]) is None


def test_page_shows_the_tensor_of_an_argument():
    finding = samples.crash()
    recipe = RecipeArgument("tensor((2, 3), seed=0, low=-1.0)")
    shown = replace(finding, probes=(Probe("shop/receipts.py::total_of", {"x": recipe}),))
    [item] = report_document(samples.report(shown))["findings"][0]["inputs"]
    assert item["tensor"]["shape"] == [2, 3]
    page = to_html(samples.report(shown))
    assert "x: tensor 2×3 float32, from -1.0 to 1" in page
    assert "numbers from -0.4822 to 0.6888" in page
    assert '<svg class="heat"' in page
