"""The compiled call is compared where it was compiled, and only there."""

import shutil

import pytest
import torch

from analyzers.guest.relating.libraries import library
from analyzers.guest.relating.nouns import VALUE, Live
from analyzers.guest.relating.oracles import judged

pytestmark = pytest.mark.slow

TORCH = library("torch")
GIVEN = torch.tensor([0.5, -1.0, 2.0])


class Scaled(torch.nn.Module):
    """Inputs times a factor; another one where it is compiled."""

    def __init__(self, factor: float, *, compiled: float) -> None:
        super().__init__()
        self.factor, self.compiled = factor, compiled

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return given * (self.compiled if torch.compiler.is_compiling() else self.factor)


def broken(given: torch.Tensor) -> torch.Tensor:
    """Another value after what the compiler gives up at."""
    torch._dynamo.graph_break()  # pyright: ignore[reportPrivateUsage]
    return given + int(torch.compiler.is_compiling())


def found(live: Live) -> list[tuple[str, str]]:
    return [(each.relation, each.rule) for each in judged(live, TORCH, (), ["inductor"])[1]]


@pytest.mark.skipif(not shutil.which("g++"), reason="inductor needs a C++ compiler")
def test_a_compiled_call_that_differs_is_found() -> None:
    wrong = Live("torch.nn.Module", Scaled, [2.0], {"compiled": 3.0}, [GIVEN])
    assert found(wrong) == [("inductor", VALUE)]
    assert found(Live("torch.exp", torch.exp, [GIVEN])) == []
    assert found(Live("torch.exp", broken, [GIVEN])) == []
