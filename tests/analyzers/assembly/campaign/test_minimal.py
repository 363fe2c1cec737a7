"""The smallest programs with a value."""

import pytest

from analyzers.assembly.campaign.suspicions import MinimalCall, legal, of_layer, side
from analyzers.assembly.disassembly.blocks import BlockArgument
from analyzers.assembly.layer_tables import LayerApi, LayerParameter

P = LayerParameter("p", ("float",), "0.5", low=0.0, high=1.0)
SIZE = LayerParameter("size", ("int", "ints"), low=1, length=2)


def layer(**more):
    return LayerApi("torch.nn.Dropout", (P,), example="torch.nn.Dropout(0.1)", **more)


@pytest.mark.parametrize(
    ("parameter", "value", "wanted"),
    [
        (P, "-1.0", "below"),
        (P, "2.0", "above"),
        (SIZE, "(0, 0)", "below"),
        (SIZE, "0", "below"),
        (LayerParameter("mode", ("str",), choices=("'a'",)), "'b'", "beside"),
        (P, "p + 1", "beside"),
    ],
)
def test_side_of_a_value(parameter, value, wanted):
    assert side(parameter, value) == wanted


def test_legal_values_are_the_default_and_the_ends_within():
    assert list(legal(P)) == ["0.5", "0.0", "1.0"]
    assert list(legal(LayerParameter("eps", ("float",), low=0.0, open_low=True))) == []
    assert list(legal(SIZE)) == ["1"]


def test_conditions_have_only_the_words_that_there_are():
    plain = of_layer(layer(inputs=("torch.randn((2, 4))",))).with_value("p", "-1.0")
    assert plain.refused == "refuses('torch.nn.Dropout(p=-1.0)(tensor((2, 4), seed=1))')"
    other = of_layer(layer(inputs=("torch.tensor([1])",))).with_value("p", "-1.0")
    assert other.refused == "refuses('torch.nn.Dropout(p=-1.0)')"


def test_layers_that_nobody_can_call_have_none():
    assert of_layer(layer()) is None


def test_functions_are_called_with_inputs_and_arguments():
    given = (BlockArgument("", "0.5"), BlockArgument("training", "True"))
    call = MinimalCall("torch.nn.functional.dropout", given, ("torch.rand((3,))",), function=True)
    assert "output = torch.nn.functional.dropout(torch.rand((3,)), 0.5, training=True)" in (
        call.program
    )
    assert call.refused.startswith("refuses('torch.nn.functional.dropout(tensor((3,), seed=1), ")
    exec(compile(call.program, "program.py", "exec"), {})
