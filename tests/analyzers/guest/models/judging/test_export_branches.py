"""Branches that an export has decided are found by inputs that take the other one."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.export_branches import (
    CHANGES,
    WORDS,
    BakedBranch,
    baked_branch,
    changed,
    deciding,
)
from analyzers.guest.models.judging.isolated_runs import PreparedModel
from analyzers.guest.models.model_types import ModelUnderTest
from tests.analyzers.guest.models.small import numbers

SCRIPT = "onnxruntime-torchscript"


class Deciding(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.head = torch.nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return self.head(x)
        return x[:, :2] - 3.0


class Choosing(Deciding):
    def forward(self, x: Any) -> Any:
        return torch.where(x.sum() > 0, self.head(x), x[:, :2] - 3.0)


class Guarded(Deciding):
    """Asks of the data what no change of it alters."""

    def forward(self, x: Any) -> Any:
        if torch.isnan(x).any():
            return x[:, :2]
        return self.head(x)


class Stepping(Deciding):
    """Departs where numbers are negative, whatever it is exported with; there is no branch."""

    def forward(self, x: Any) -> Any:
        return torch.floor_divide(x, 0.75)


def of(kind: type[torch.nn.Module]) -> ModelUnderTest:
    return ModelUnderTest(kind().eval(), (numbers(2, 3).abs(),))


def found(model: ModelUnderTest, name: str = SCRIPT) -> BakedBranch | None:
    with PreparedModel(model, [name]) as prepared:
        outcomes = prepared.outcomes(model.inputs, model.keywords)
        assert outcomes[name].status == "returned"
        assert judge(model, outcomes) == []
        return baked_branch(prepared, model, name)


@pytest.mark.parametrize("name", [SCRIPT, "jit-trace"])
def test_a_branch_that_the_tracer_took_is_found_with_its_line(name: str) -> None:
    model = of(Deciding)
    branch = found(model, name)

    assert branch is not None
    assert branch.other == "negated"
    assert torch.equal(branch.model.inputs[0], -model.inputs[0])
    assert (branch.verdict.rule, branch.verdict.execution) == ("divergence", name)
    assert branch.verdict.detail.startswith("branch baked in: ")
    lines, start = inspect.getsourcelines(Deciding.forward)
    line = start + next(n for n, text in enumerate(lines) if "if x.sum" in text)
    assert branch.place is not None
    assert (branch.place.path, branch.place.line) == (__file__, line)
    assert branch.outcomes["float64"].outputs[0] == pytest.approx(
        (branch.model.inputs[0][:, :2] - 3.0).numpy(), rel=1e-6
    )


@pytest.mark.parametrize("kind", [Choosing, Guarded, Stepping])
def test_without_a_branch_that_data_decides_nothing_is_told(kind: type[torch.nn.Module]) -> None:
    assert found(of(kind)) is None


def test_executions_that_follow_the_data_are_not_asked() -> None:
    assert found(of(Deciding), "onednn-off") is None


def test_a_place_is_relative_to_the_project(tmp_path: Any) -> None:
    folder = __file__.rpartition("/")[0]
    assert [each.path for each in deciding(of(Deciding), folder)] == ["test_export_branches.py"]
    assert deciding(of(Deciding), str(tmp_path)) == []
    assert deciding(of(Choosing)) == []


def test_changes_keep_shapes_and_dtypes_and_say_what_they_are() -> None:
    given = (numbers(2, 3), {"ids": torch.tensor([1, 2]), "flag": True})
    for name in CHANGES:
        tensor, rest = changed(given, name)
        assert (tensor.shape, tensor.dtype) == (given[0].shape, given[0].dtype)
        assert (rest["flag"], rest["ids"].dtype) == (True, torch.int64)
        assert not torch.equal(tensor, given[0])
    assert set(CHANGES) == set(WORDS)
    with pytest.raises(KeyError):
        changed(given, "inverted")
