"""How a model was built, and what a layer takes: the words made and refuses."""

import pytest
import torch

from analyzers.guest.assembly.construction_words import accepts_call, constructor_argument
from analyzers.guest.inputs.exploration.postconditions import CompletedCall
from analyzers.guest.protocol.argument_decoding import Unusable


class Norm(torch.nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()


def called(recipe="", **arguments):
    return CompletedCall("/", {"Norm": Norm}, None, None, arguments, [], {}, lambda: None, recipe)


def test_arguments_of_the_recipe_and_defaults_are_told():
    assert constructor_argument(called("Norm(4, eps=-1.0)"), "eps") == -1.0
    assert constructor_argument(called("Norm(4)"), "eps") == 1e-5
    assert constructor_argument(called("Norm(dim=4)"), "dim") == 4
    assert constructor_argument(called(eps=0.5), "eps") == 0.5


@pytest.mark.parametrize("recipe", ["Norm(4)", "Norm()", "Norm(", "4"])
def test_what_nobody_says_is_unusable(recipe):
    with pytest.raises(Unusable, match="nobody says"):
        constructor_argument(called(recipe), "momentum")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("torch.nn.Dropout(2.0)", None),
        ("torch.nn.Dropout(0.5)", "torch.nn.Dropout(0.5) is taken"),
        ("torch.nn.Linear(3, 4)(tensor((2, 5)))", None),
        ("torch.nn.Linear(5, 4)(tensor((2, 5)))", "torch.nn.Linear(5, 4)(tensor((2, 5))) is taken"),
    ],
)
def test_a_layer_is_taken_or_refused(call, problem):
    assert accepts_call(called(), call) == problem


@pytest.mark.parametrize(
    "call",
    [
        "torch.load('x')",
        "open('x')",
        "torch.nn.Linear(3, 4).forward(1)",
        "torch.nn.Linear(3, 4)(input=tensor((2, 3)))",
        "torch.nn.Linear(open('x'), 4)[0]",
        "torch.nn.Linear(1 + 2, 4)",
        "torch.nn.functional.torch.os.system('id')",
        "torch.nn.functional.linear(tensor((2, 3)), tensor((4, 3)))",
        "torch.nn.ReLU(torch.nn.functional.torch.os.getpid())",
        "torch.nn.TransformerEncoderLayer(4, 2, activation=torch.nn.functional.torch.os.abort)",
        "torch.nn.Linear(3, 4)(torch.nn.functional.torch.load('x'))",
        "torch.nn.Module.__subclasses__()",
        "1",
        "(",
    ],
)
def test_only_calls_of_layers_are_made(call):
    with pytest.raises(Unusable, match="no call"):
        accepts_call(called(), call)
