"""The error by layer of a model's finding, on the page of a stored report."""

import json
from pathlib import Path

import pytest

from analyzers.vocabulary import LayerError
from tests.worker.report.test_html import Reader
from worker.errors import MachineError
from worker.report.charts import layer_chart
from worker.report.html_report import page_of_document
from worker.report.layer_errors import MOST_ROWS, layers_of, ratio_text
from worker.report.stored_report import read_stored

DEEP_LEARNING = Path(__file__).parents[2] / "app/browser/deep_learning_report.json"
RULE = "model/divergence"
LAYERS = [
    {"layer": "conv1", "error_ratio": 1.234},
    {"layer": "blocks.0.attention.softmax_of_a_long_name", "error_ratio": 0.0},
    {"layer": "avg_pool2d", "error_ratio": 420200.0},
]


def document(layers):
    report = json.loads(DEEP_LEARNING.read_text(encoding="utf-8"))
    (finding,) = (each for each in report["findings"] if each["rule"] == RULE)
    finding["evidence"]["layers"] = layers
    return report


def labels(layers):
    page = Reader(page_of_document(document(layers), lambda _name: None))
    assert not page.styled
    drawn = [v for tag, v in page.tags if tag == "svg" and "chart" in v.get("class", "")]
    return [values["aria-label"] for values in drawn], page.text


def test_page_draws_each_layer_and_says_it_in_words():
    (label,), text = labels(LAYERS)
    assert label == (
        "Error by layer, over eager's own: conv1 1.2,"
        " blocks.0.attention.softmax_of_a_long_name 0, avg_pool2d 420,000, departs first"
    )
    assert "at most 1.2 in the 2 before avg_pool2d, there 420,000" in text
    assert "(dots: 20)" in text
    assert "▸ avg_pool2d" in text
    assert "…softmax_of_a_long_name" in text


@pytest.mark.parametrize("layers", [[], LAYERS[:1]])
def test_one_layer_is_nothing_to_compare(layers):
    assert labels(layers)[0] == []


def test_a_layer_without_a_number_is_drawn_to_the_end():
    (label,), text = labels([LAYERS[0], {"layer": "norm", "error_ratio": None}])
    assert label.endswith("norm no finite number, departs first")
    assert "there no finite number" in text


def test_names_stay_text():
    evil = "<script>alert(1)</script>"
    names = (evil, 'a" onload="x', "$x^$", "$\\frac$")
    shown = Reader(str(layer_chart([LayerError(name, 1.0) for name in names])))
    assert "script" not in {tag for tag, _ in shown.tags}
    assert not shown.styled
    assert all(name[-22:] in shown.text for name in names)


def test_the_last_layers_are_drawn():
    rows = [{"layer": f"layers.{number}", "error_ratio": 1.0} for number in range(64)]
    found = layers_of(RULE, {"layers": rows})
    assert len(found) == MOST_ROWS
    assert found[-1] == LayerError("layers.63", 1.0)
    assert layers_of("assembly/state", {"layers": rows}) == ()


@pytest.mark.parametrize(
    "layers",
    [
        {"conv1": 1.2},
        LAYERS * 22,
        [{"layer": "conv1"}],
        [{"layer": "conv1", "error_ratio": "1.2"}],
        [{"layer": None, "error_ratio": 1.2}],
        [{"layer": "conv1", "error_ratio": -1}],
    ],
)
def test_stored_layers_are_checked(layers):
    with pytest.raises(MachineError, match="layers"):
        read_stored(document(layers))


def test_ratios_are_short():
    found = [ratio_text(each) for each in (0.0, 0.4231, 9.96, 19.4, 99_600.0, 420_200.0, 1e12)]
    assert found == ["0", "0.42", "10", "19", "100,000", "420,000", "1e+12"]
