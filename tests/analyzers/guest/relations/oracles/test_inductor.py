"""The compiled call is compared where it was compiled, and only there."""

import shutil

import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.oracles.oracle_registry import judge_call
from analyzers.guest.relations.relation_types import VALUE, LiveCall

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


def found(live: LiveCall) -> list[tuple[str, str]]:
    return [(each.relation, each.rule) for each in judge_call(live, TORCH, (), ["inductor"])[1]]


@pytest.mark.skipif(not shutil.which("g++"), reason="inductor needs a C++ compiler")
def test_a_compiled_call_that_differs_is_found() -> None:
    wrong = LiveCall("torch.nn.Module", Scaled, [2.0], {"compiled": 3.0}, [GIVEN])
    assert found(wrong) == [("inductor", VALUE)]
    assert found(LiveCall("torch.exp", torch.exp, [GIVEN])) == []
    assert found(LiveCall("torch.exp", broken, [GIVEN])) == []
