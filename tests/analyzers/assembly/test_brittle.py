"""Which layer is built for one size only."""

import pytest

from analyzers.assembly import layer_tables
from analyzers.assembly.input_shapes import (
    built_for,
    expected_size,
    inputs,
    is_free,
    other_legal_values,
    recipe_of,
)
from analyzers.assembly.messages import first_line
from analyzers.assembly.parameter_flow import flows, function_of, layers_of
from analyzers.guest.inputs.recipes import parse

TEXT = """from torch import nn


class Net(nn.Module):
    def __init__(self, channels=3, width=16, kernel=5, classes=10):
        super().__init__()
        self.conv = nn.Conv2d(channels, width, kernel)
        self.inner = nn.Linear(16 * 5 * 5, 4 * width)
        self.outer = nn.Linear(4 * width, classes)
"""
LAYERS = layer_tables.load("2.13.0")


@pytest.fixture
def function():
    return function_of(TEXT, "Net.__init__")


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x144 and 256x10)", 256),
        (
            "Given groups=1, weight of size [6, 16, 3, 3], expected input[2, 20, 8, 8] to have 16"
            " channels, but got 20 channels instead",
            16,
        ),
        (
            "Given normalized_shape=[64], expected input with shape [*, 64], but got input of"
            " size[2, 65]",
            64,
        ),
        ("running_mean should contain 20 elements not 16", 16),
        ("index out of range in self", None),
    ],
)
def test_size_that_torch_expected(said, size):
    assert expected_size(said) == size


def test_layer_whose_size_is_written_down(function):
    built = layers_of(function, TEXT, LAYERS)
    assert built_for(400, "kernel", function, built).call.lineno == 8
    assert built_for(64, "width", function, built) is None
    assert built_for(7, "kernel", function, built) is None


def test_what_asks_for_another_input_is_left_alone(function):
    free = {f.source for f in flows(function, layers_of(function, TEXT, LAYERS)) if is_free(f)}
    assert free == {"width", "kernel", "classes"}


def test_other_values_are_legal_ones(function):
    (kernel,) = [
        f for f in flows(function, layers_of(function, TEXT, LAYERS)) if f.source == "kernel"
    ]
    assert other_legal_values(kernel, 5) == (6, 7, 10)


def test_inputs_are_those_of_the_first_layer(function):
    first, *_ = inputs(function, layers_of(function, TEXT, LAYERS), TEXT)
    assert first == "__import__('torch').rand((2, 3, 32, 32))"


def test_words_of_a_guest_are_one_short_line():
    assert first_line("it raised ValueError: \x1b[2Jno\nmore") == "ValueError: [2Jno"
    assert len(first_line("x" * 100_000)) == 200
    assert expected_size(f"shapes cannot be multiplied (2x3 and {'9' * 5000}x1)") is None


@pytest.mark.parametrize(
    ("given", "recipe"),
    [
        ("th.rand((2, 3))", "(tensor((2, 3), seed=1, low=-1.0, high=1.0),)"),
        ("torch.zeros((2, 8), dtype=torch.int64)", "(tensor((2, 8), 'int64'),)"),
    ],
)
def test_input_of_a_layer_is_a_recipe_too(given, recipe):
    assert recipe_of(given) == parse(recipe).source()
